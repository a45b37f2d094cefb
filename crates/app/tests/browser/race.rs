//! Racing: routes side by side, one of them cancelled; and the models that they read.

use crate::page::Page;
use crate::studio::{click_screen, open_level, page_at, play};

/// Ticks exactly these routes.
fn choose(page: &Page, routes: &[&str]) {
    let found = page.evaluate(&format!(
        "(() => {{ const wanted = {routes:?}; const boxes = [...document.querySelectorAll('.choice input')]; \
         for (const box of boxes) box.checked = wanted.includes(box.value); return boxes.filter((box) => box.checked).length; }})()"
    ));
    assert_eq!(found, routes.len(), "{routes:?}");
}

fn status(page: &Page, route: &str, expected: &str) {
    page.until(&format!(
        "document.querySelector('[data-route={route:?}]')?.dataset.status === {expected:?}"
    ));
}

#[test]
fn routes_race_and_agree() {
    let Some(page) = page_at("gallery") else {
        return;
    };
    open_level(&page, "plotting/04-staircase");
    click_screen(&page, "race");
    choose(
        &page,
        &[
            "search:bfs",
            "search:astar",
            "search:bfhs",
            "pddl:natural",
            "eprime:action:sat",
        ],
    );
    page.evaluate("document.querySelector('[data-field=seconds]').value = 60");
    page.click("[data-do=race]");
    page.until(
        "['agree', 'disagree'].includes(document.querySelector('[data-verdict]').dataset.verdict)",
    );
    page.until_text("[data-verdict]", "all agree: 4 is best");
    page.until_text("[data-verdict]", "5 of 5");
    // The chart has a line for each route.
    assert_eq!(
        page.evaluate("document.querySelectorAll('.chart circle').length"),
        5
    );
}

#[test]
fn a_cancelled_route_does_not_stop_the_others() {
    // Breadth-first search would take hours here.
    let hard = "game: plotting\ngoal: 4\n\nRGBYPRGB\nYPRGBYPR\nGBYRPGBY\nPRYBGRYP\nBYGRPYBG\nRPBGYRPB\nYGRPBGYR\nPBYRGPBY\n";
    let Some(page) = play(hard) else { return };
    click_screen(&page, "race");
    choose(&page, &["search:bfs", "search:astar"]);
    page.evaluate("document.querySelector('[data-field=seconds]').value = 300");
    page.click("[data-do=race]");
    // Progress is shown while the route runs.
    page.until("Number(document.querySelector('[data-route=\"search:bfs\"] td:nth-of-type(4)').textContent.replaceAll(',', '')) > 0");
    page.click("[data-route='search:bfs'] [data-do=cancel]");
    status(&page, "search:bfs", "cancelled");
    status(&page, "search:astar", "running");
    page.click("[data-do=cancel-all]");
    status(&page, "search:astar", "cancelled");
    page.until("document.querySelector('[data-verdict]').dataset.verdict === 'open'");
}

#[test]
fn models_are_shown_and_can_be_saved() {
    let Some(page) = page_at("gallery") else {
        return;
    };
    for (level, models) in [
        ("puzznic/01-first-step", &["pddl:", "eprime:"][..]),
        ("bombastic/01-first-push", &["pddl:", "eprime:"]),
    ] {
        open_level(&page, level);
        click_screen(&page, "models");
        for family in models {
            page.click(&format!("[data-model^={family:?}]"));
            page.until("document.querySelectorAll('pre').length === 2 && document.querySelectorAll('pre .kw').length > 3");
        }
        page.evaluate("(() => { const make = URL.createObjectURL.bind(URL); URL.createObjectURL = (blob) => { window.saved = blob.size; return make(blob); }; })()");
        page.click("[data-do=download]");
        page.until("window.saved > 100");
    }
}
