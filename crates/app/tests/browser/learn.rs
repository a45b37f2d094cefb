//! Learning: the lessons of every game can be shown and played.

use crate::page::Page;
use crate::studio::page_at;

#[test]
fn every_lesson_can_be_shown_and_refuses_illegal_moves() {
    let Some(page) = page_at("learn") else { return };
    // Without films, which would only take time here.
    page.prefer("prefers-reduced-motion", "reduce");
    page.reload();
    page.until("document.body.dataset.screen === 'learn'");
    for game in ployglot_games::NAMES {
        open_game(&page, game);
        let lessons = page
            .evaluate("document.querySelectorAll('[data-lesson]').length")
            .as_u64()
            .expect("a number");
        assert!(lessons >= 2, "{game}");
        page.evaluate(
            "for (const show of document.querySelectorAll('[data-do=show-me]')) show.click()",
        );
        page.until(&format!(
            "[...document.querySelectorAll('[data-message]')].filter((message) => message.textContent === 'Solved!').length === {lessons}"
        ));
        assert!(
            page.evaluate("document.querySelector('.rules').textContent.length")
                .as_u64()
                > Some(800),
            "{game}"
        );
    }
    // By keyboard: the first lesson of Bombastic, where down is refused.
    open_game(&page, "bombastic");
    page.click("[data-lesson] [data-do=again]");
    page.until("document.querySelector('[data-message]').textContent === ''");
    page.evaluate("document.querySelector('[data-lesson] .board').focus()");
    page.press("ArrowDown");
    page.until_text("[data-message]", "Refused: the board ends behind the block");
    for key in ["ArrowLeft", "ArrowDown", "ArrowRight"] {
        page.press(key);
    }
    page.until_text("[data-message]", "Solved!");
}

/// Opens the lessons of a game and waits until every board is drawn: a board that appears moves
/// the buttons below it, and a click meant for them would land on it.
fn open_game(page: &Page, game: &str) {
    page.click(&format!("[data-game={game:?}]"));
    page.until(&format!(
        "document.querySelector('[data-game={game:?}]').getAttribute('aria-pressed') === 'true'"
    ));
    page.until(
        "[...document.querySelectorAll('[data-lesson]')].every((lesson) => lesson.querySelector('.marks > *'))",
    );
}
