//! Racing: routes side by side, one of them cancelled; and the models that they read.

use crate::page::Page;
use crate::studio::{enter, open_level, play, walk};

/// Ticks exactly these routes.
fn choose(page: &Page, routes: &[&str]) {
    let found = page.see(&format!(
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
    let Some(page) = enter("gallery") else { return };
    open_level(&page, "plotting/04-staircase");
    walk(&page, "race");
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
    page.see("document.querySelector('[data-field=seconds]').value = 60");
    page.click("[data-do=race]");
    page.until(
        "['agree', 'disagree'].includes(document.querySelector('[data-verdict]').dataset.verdict)",
    );
    page.until_text("[data-verdict]", "all agree: 4 is best");
    page.until_text("[data-verdict]", "5 of 5");
    // Every one of them is on the chart.
    assert_eq!(
        page.see("document.querySelectorAll('.chart circle').length"),
        5
    );
}

#[test]
fn one_of_a_race_is_cancelled_and_the_others_go_on() {
    // Breadth-first search would take hours here.
    let hard = "game: plotting\ngoal: 4\n\nRGBYPRGB\nYPRGBYPR\nGBYRPGBY\nPRYBGRYP\nBYGRPYBG\nRPBGYRPB\nYGRPBGYR\nPBYRGPBY\n";
    let Some(page) = play(hard) else { return };
    walk(&page, "race");
    choose(&page, &["search:bfs", "search:astar"]);
    page.see("document.querySelector('[data-field=seconds]').value = 300");
    page.click("[data-do=race]");
    // Live news: seconds and states come in while it runs.
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
    let Some(page) = enter("gallery") else { return };
    for (level, models) in [
        ("puzznic/01-first-step", &["pddl:", "eprime:"][..]),
        ("bombastic/01-first-push", &["pddl:", "eprime:"]),
    ] {
        open_level(&page, level);
        walk(&page, "models");
        for family in models {
            page.click(&format!("[data-model^={family:?}]"));
            page.until("document.querySelectorAll('pre').length === 2 && document.querySelectorAll('pre .kw').length > 3");
        }
        page.see("(() => { const make = URL.createObjectURL.bind(URL); URL.createObjectURL = (blob) => { window.saved = blob.size; return make(blob); }; })()");
        page.click("[data-do=download]");
        page.until("window.saved > 100");
    }
}
