//! Watching: a found plan, a pasted plan, the bar, and downloads.

use crate::page::text;
use crate::studio::{click_screen, open_level, page_at, play};

const LEVEL: &str = "game: bombastic\ntitle: A walk\n\n-----\n@--$.\n-----\n";

#[test]
fn a_best_plan_is_watched_step_by_step() {
    let Some(page) = page_at("gallery") else {
        return;
    };
    open_level(&page, "plotting/04-staircase");
    page.click("[data-do=solve]");
    page.until("document.body.dataset.screen === 'watch'");
    page.until_text("[data-note]", "Reaches the goal with 4 shots; proven best");
    page.until_text("[data-at]", "0 of 4");
    let pieces = "document.querySelectorAll('.board > g:nth-of-type(3) > g').length";
    assert_eq!(page.evaluate(pieces), 10);
    page.press("ArrowRight");
    page.until_text("[data-at]", "1 of 4");
    page.until_text(".moves [aria-current]", "");
    page.press("ArrowLeft");
    page.until_text("[data-at]", "0 of 4");
    // The bar shows any move at once.
    page.evaluate("(() => { const bar = document.querySelector('[data-field=scrub]'); bar.value = 3; bar.dispatchEvent(new Event('input')); })()");
    page.until_text("[data-at]", "3 of 4");
    page.press("Home");
    // The whole plan, fast.
    page.evaluate("document.querySelector('[data-field=speed]').value = '16'");
    page.click("[data-do=run]");
    page.until_text("[data-at]", "4 of 4");
    page.until_text("[data-do=run]", "Play");
    page.until(&format!("{pieces} <= 4"));
}

#[test]
fn a_pasted_plan_is_judged_and_watched() {
    let Some(mut page) = play(LEVEL) else { return };
    page.allow_error("status of 422");
    click_screen(&page, "watch");
    page.until_text("[data-note]", "There is no plan yet");
    page.fill("[data-field=plan]", "right right\nright ; and home");
    page.click("[data-do=load]");
    page.until_text("[data-note]", "Reaches the goal with 3 steps");
    page.fill("[data-field=plan]", "right\nright\n");
    page.click("[data-do=load]");
    page.until_text("[data-note]", "the goal is missed");
    page.fill("[data-field=plan]", "right\nleft\nleft\n");
    page.click("[data-do=load]");
    page.until_text("#toast", "move 3, 'left'");
    page.click("[data-do=solve]");
    page.until_text("[data-note]", "proven best");
}

#[test]
fn a_plan_is_downloaded_as_gif_svg_and_text() {
    let Some(page) = play(LEVEL) else { return };
    click_screen(&page, "watch");
    page.click("[data-do=solve]");
    page.until_text("[data-note]", "proven best");
    page.evaluate(
        "(() => { const make = URL.createObjectURL.bind(URL); window.saved = []; \
         URL.createObjectURL = (blob) => { blob.slice(0, 400).text().then((text) => window.saved.push(`${blob.type} ${text}`)); return make(blob); }; })()",
    );
    for (name, kind, opening) in [
        ("gif", "image/gif", "GIF89a"),
        ("svg", "image/svg+xml", "<svg"),
        ("plan", "text/plain", "right\nright\nright\n"),
    ] {
        page.evaluate("window.saved.length = 0");
        page.click(&format!("[data-do={name}]"));
        page.until("window.saved.length === 1");
        let saved = text(&page.evaluate("window.saved[0]"));
        assert!(
            saved.starts_with(kind) && saved.contains(opening),
            "{saved}"
        );
    }
}
