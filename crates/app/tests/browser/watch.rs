//! Watching: a found plan, a pasted plan, the bar, and what can be taken away.

use crate::page::text;
use crate::studio::{enter, open_level, play, walk};

const LEVEL: &str = "game: bombastic\ntitle: A walk\n\n-----\n@--$.\n-----\n";

#[test]
fn a_best_plan_is_watched_step_by_step() {
    let Some(page) = enter("gallery") else { return };
    open_level(&page, "plotting/04-staircase");
    page.click("[data-do=solve]");
    page.until("document.body.dataset.room === 'watch'");
    page.until_text("[data-note]", "Reaches the goal with 4 shots; proven best");
    page.until_text("[data-at]", "0 of 4");
    let pieces = "document.querySelectorAll('.board > g:nth-of-type(3) > g').length";
    assert_eq!(page.see(pieces), 10);
    page.press("ArrowRight");
    page.until_text("[data-at]", "1 of 4");
    page.until_text(".moves [aria-current]", "");
    page.press("ArrowLeft");
    page.until_text("[data-at]", "0 of 4");
    // The bar goes anywhere at once.
    page.see("(() => { const bar = document.querySelector('[data-field=scrub]'); bar.value = 3; bar.dispatchEvent(new Event('input')); })()");
    page.until_text("[data-at]", "3 of 4");
    page.press("Home");
    // All of it, in a flash.
    page.see("document.querySelector('[data-field=speed]').value = '16'");
    page.click("[data-do=run]");
    page.until_text("[data-at]", "4 of 4");
    page.until_text("[data-do=run]", "Play");
    page.until(&format!("{pieces} <= 4"));
}

#[test]
fn a_pasted_plan_is_judged_and_watched() {
    let Some(mut page) = play(LEVEL) else { return };
    page.forgive("status of 422");
    walk(&page, "watch");
    page.until_text("[data-note]", "There is no plan yet");
    page.fill("[data-field=plan]", "right right\nright ; and home");
    page.click("[data-do=load]");
    page.until_text("[data-note]", "Reaches the goal with 3 steps");
    page.fill("[data-field=plan]", "right\nright\n");
    page.click("[data-do=load]");
    page.until_text("[data-note]", "the goal is missed");
    page.fill("[data-field=plan]", "right\nleft\nleft\n");
    page.click("[data-do=load]");
    page.until_text("#news", "move 3, 'left'");
    page.click("[data-do=solve]");
    page.until_text("[data-note]", "proven best");
}

#[test]
fn a_plan_is_taken_along_as_gif_svg_and_text() {
    let Some(page) = play(LEVEL) else { return };
    walk(&page, "watch");
    page.click("[data-do=solve]");
    page.until_text("[data-note]", "proven best");
    page.see(
        "(() => { const make = URL.createObjectURL.bind(URL); window.saved = []; \
         URL.createObjectURL = (blob) => { blob.slice(0, 400).text().then((text) => window.saved.push(`${blob.type} ${text}`)); return make(blob); }; })()",
    );
    for (name, kind, opening) in [
        ("gif", "image/gif", "GIF89a"),
        ("svg", "image/svg+xml", "<svg"),
        ("plan", "text/plain", "right\nright\nright\n"),
    ] {
        page.see("window.saved.length = 0");
        page.click(&format!("[data-do={name}]"));
        page.until("window.saved.length === 1");
        let saved = text(&page.see("window.saved[0]"));
        assert!(
            saved.starts_with(kind) && saved.contains(opening),
            "{saved}"
        );
    }
}
