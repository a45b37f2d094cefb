//! Learning: every small board of every game does what it says.

use crate::studio::enter;

#[test]
fn every_lesson_can_be_shown_and_its_refusals_seen() {
    let Some(page) = enter("learn") else { return };
    // The films of the lessons are another test's matter.
    page.prefer("prefers-reduced-motion", "reduce");
    page.reload();
    page.until("document.body.dataset.room === 'learn'");
    for game in ployglot_games::NAMES {
        page.click(&format!("[data-game={game:?}]"));
        page.until(&format!(
            "document.querySelector('[data-game={game:?}]').getAttribute('aria-pressed') === 'true'"
        ));
        page.until("document.querySelectorAll('[data-lesson] .marks > *').length > 0");
        let lessons = page
            .see("document.querySelectorAll('[data-lesson]').length")
            .as_u64()
            .expect("a number");
        assert!(lessons >= 2, "{game}");
        page.see("for (const show of document.querySelectorAll('[data-do=show-me]')) show.click()");
        page.until(&format!(
            "[...document.querySelectorAll('[data-said]')].filter((word) => word.textContent === 'That is it!').length === {lessons}"
        ));
        assert!(
            page.see("document.querySelector('.rules').textContent.length")
                .as_u64()
                > Some(800),
            "{game}"
        );
    }
    // By hand: the first lesson of Bombastic, where down is refused.
    page.click("[data-lesson] [data-do=again]");
    page.until("document.querySelector('[data-said]').textContent === ''");
    page.see("document.querySelector('[data-lesson] .board').focus()");
    page.press("ArrowDown");
    page.until_text("[data-said]", "Refused: the board ends behind the block");
    for key in ["ArrowLeft", "ArrowDown", "ArrowRight"] {
        page.press(key);
    }
    page.until_text("[data-said]", "That is it!");
}
