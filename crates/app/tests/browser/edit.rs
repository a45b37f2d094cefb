//! Editing: painting, the badge, the intended plan, the generator, and drafts after a reload.

use crate::page::Page;
use crate::studio::{go, page_at, paste, play};

const LEVEL: &str = "game: puzznic\ntitle: Draft\n\n######\n#A..A#\n######\n";

fn edit(level: &str) -> Option<Page> {
    let page = play(level)?;
    page.click("[data-do=edit]");
    page.until("document.body.dataset.screen === 'edit'");
    Some(page)
}

fn paint(page: &Page, tile: &str, cell: &str) {
    page.click(&format!("[data-tile={tile:?}]"));
    page.click(&format!("[data-cell={cell:?}]"));
}

fn badge(page: &Page, state: &str) {
    page.until(&format!(
        "document.querySelector('[data-badge]')?.dataset.badge === {state:?}"
    ));
}

#[test]
fn a_level_is_edited_until_unsolvable_and_back() {
    let Some(page) = edit(LEVEL) else { return };
    badge(&page, "optimal");
    page.until_text("[data-badge]", "par 2 moves");
    paint(&page, "#", "1,2");
    badge(&page, "unsolvable");
    page.click("[data-do=undo]");
    badge(&page, "optimal");
    page.click("[data-do=redo]");
    badge(&page, "unsolvable");
    // By keyboard: the cell with the wall becomes empty again.
    page.evaluate("document.querySelector('.canvas').focus()");
    page.press(".");
    badge(&page, "optimal");
    // A single block is unsolvable.
    paint(&page, "A", "1,2");
    paint(&page, ".", "1,1");
    paint(&page, ".", "1,2");
    badge(&page, "unsolvable");
    page.click("[data-do=play]");
    page.until("document.body.dataset.screen === 'play'");
    page.until_text("h1", "Draft");
}

#[test]
fn a_draft_survives_a_reload() {
    let Some(mut page) = edit(LEVEL) else { return };
    page.allow_error("status of 422");
    badge(&page, "optimal");
    page.click("[data-do='column+']");
    paint(&page, "B", "1,2");
    badge(&page, "unsolvable");
    page.reload();
    badge(&page, "unsolvable");
    assert_eq!(
        page.evaluate("document.querySelector('[data-cell=\"1,2\"]').dataset.text"),
        "B"
    );
    assert_eq!(
        page.evaluate("document.querySelectorAll('.canvas [role=gridcell]').length"),
        21
    );
    // A draft that is not a level, because it has no avatar, survives too.
    paste_and_edit(&page, "game: bombastic\n\n@$.\n");
    badge(&page, "optimal");
    paint(&page, "-", "0,0");
    badge(&page, "error");
    page.reload();
    badge(&page, "error");
    assert_eq!(
        page.evaluate("document.querySelector('[data-cell=\"0,0\"]').dataset.text"),
        "-"
    );
}

fn paste_and_edit(page: &Page, level: &str) {
    go(page, "gallery");
    paste(page, level);
    page.click("[data-do=edit]");
    page.until("document.body.dataset.screen === 'edit'");
}

#[test]
fn a_shorter_plan_is_shown_where_it_differs_from_the_intended_plan() {
    let Some(page) = edit("game: bombastic\n\n-----\n@--$-\n----.\n") else {
        return;
    };
    badge(&page, "optimal");
    let cost = page.text("[data-badge]");
    assert!(cost.contains("par 6 steps"), "{cost}");
    page.click("[data-do=lock-best]");
    page.until("!!document.querySelector('[data-lock=best]')");
    // A second goal, nearer: the plans differ at the first push.
    paint(&page, ".", "1,4");
    page.until("!!document.querySelector('[data-lock=shortcut]')");
    page.until_text("[data-lock]", "3 instead of 6 steps");
    page.until("!!document.querySelector('[aria-label=\"where the plans differ\"]')");
    assert_eq!(
        page.evaluate("document.querySelectorAll('.pair > div').length"),
        2
    );
    // The plan is still locked after a reload, and is best again when the edit is undone.
    page.reload();
    page.until("!!document.querySelector('[data-lock=shortcut]')");
    paint(&page, "-", "1,4");
    page.until("!!document.querySelector('[data-lock=best]')");
    // With a wall in between, the plan is no longer legal.
    paint(&page, "#", "1,2");
    page.until("!!document.querySelector('[data-lock=rejected]')");
    page.click("[data-do=unlock]");
    page.until("!document.querySelector('[data-lock]')");
}

#[test]
fn played_moves_can_be_the_intended_plan() {
    let Some(page) = play("game: bombastic\n\n-----\n@--$.\n-----\n") else {
        return;
    };
    // Two steps longer than necessary.
    for key in [
        "ArrowDown",
        "ArrowRight",
        "ArrowUp",
        "ArrowRight",
        "ArrowRight",
    ] {
        page.press(key);
    }
    page.until_text("[data-state]", "Solved!");
    page.press("0");
    page.until_text("[data-cost]", "0");
    page.click("[data-do=edit]");
    badge(&page, "optimal");
    go(&page, "play");
    page.press("u");
    page.until_text("[data-cost]", "5");
    go(&page, "edit");
    badge(&page, "optimal");
    page.click("[data-do=lock-played]");
    page.until_text("[data-lock]", "3 instead of 5 steps");
}

#[test]
fn a_random_level_has_the_required_par() {
    let Some(page) = page_at("edit") else { return };
    for game in ployglot_games::NAMES {
        page.evaluate(&format!(
            "(() => {{ const field = document.querySelector('[data-field=game]'); field.value = {game:?}; field.dispatchEvent(new Event('change')); }})()"
        ));
        page.until(&format!(
            "document.querySelector('[data-field=text]').value.includes('game: {game}')"
        ));
        badge(&page, "optimal");
        page.evaluate(
            "(() => { const set = (name, value) => (document.querySelector(`[data-field=${name}]`).value = value); \
             set('rows', 5); set('cols', 5); set('par-from', 2); set('par-to', 9); set('seed', 5); })()",
        );
        page.click("[data-do=generate]");
        page.until_text("#toast", "Found with seed");
        badge(&page, "optimal");
        let badge = page.text("[data-badge]");
        let par: u32 = badge
            .split("par ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next())
            .and_then(|par| par.parse().ok())
            .expect("a par");
        assert!((2..=9).contains(&par), "{game}: {badge}");
    }
}
