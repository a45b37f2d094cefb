//! A PuzzleScript game in the studio: pasted, played with its action key, watched, edited with its
//! own palette, and shared by a link that contains its rules.

use crate::page::Page;
use crate::studio::{click_screen, page_at};

const GAME: &str = "title Doors\n\nOBJECTS\n\nBackground\nblack\n\nWall\ngrey\n\nPlayer\nyellow\n\n\
Door\nbrown\n\nExit\ngreen\n\nLEGEND\n\n. = Background\n# = Wall\nP = Player\nD = Door\nX = Exit\n\n\
SOUNDS\n\nCOLLISIONLAYERS\n\nBackground\nExit\nPlayer, Wall, Door\n\nRULES\n\n\
[ action Player | Door ] -> [ Player | ]\n\nWINCONDITIONS\n\nsome Player on Exit\n\nLEVELS\n\n\
#####\n#PDX#\n#####\n\n#######\n#P.D.X#\n#######\n";

/// The gallery with the levels of the game, the second of which is opened.
fn second_level() -> Option<Page> {
    let page = page_at("gallery")?;
    page.fill("[data-field=paste]", GAME);
    page.click("[data-do=open]");
    page.until("document.querySelectorAll('[data-level^=\"level \"]').length === 2");
    page.click("[data-level='level 2']");
    page.until("document.body.dataset.screen === 'play'");
    page.until_text("h1", "Doors 2");
    Some(page)
}

fn badge(page: &Page, state: &str) {
    page.until(&format!(
        "document.querySelector('[data-badge]')?.dataset.badge === {state:?}"
    ));
}

#[test]
fn a_pasted_game_is_played_with_its_action_key() {
    let Some(page) = second_level() else { return };
    page.evaluate("document.querySelector('.board').focus()");
    for (key, cost) in [
        ("ArrowRight", "1"),
        ("Enter", "2"),
        ("ArrowRight", "3"),
        ("ArrowRight", "4"),
        ("ArrowRight", "5"),
    ] {
        page.press(key);
        page.until_text("[data-cost]", cost);
    }
    // The link contains the rules: another page plays the same level.
    let link = page.evaluate("location.href");
    let link = link.as_str().expect("an address").to_string();
    page.open(&link);
    page.until("document.body.dataset.screen === 'play'");
    page.until_text("h1", "Doors 2");
    click_screen(&page, "watch");
    page.until_text("main", "5 moves");
}

#[test]
fn a_game_is_edited_with_its_own_palette() {
    let Some(page) = second_level() else { return };
    page.click("[data-do=edit]");
    page.until("document.body.dataset.screen === 'edit'");
    badge(&page, "optimal");
    page.until_text("[data-badge]", "par 5 moves");
    let tiles = page.evaluate(
        "[...document.querySelectorAll('[data-tile]')].map((tile) => tile.dataset.tile).join('')",
    );
    assert_eq!(tiles, "#.dpx");
    page.click("[data-tile='#']");
    page.click("[data-cell='1,2']");
    badge(&page, "unsolvable");
    page.click("[data-do=undo]");
    badge(&page, "optimal");
    page.click("[data-tile='d']");
    page.click("[data-cell='1,2']");
    page.until_text("[data-badge]", "par 6 moves");
}
