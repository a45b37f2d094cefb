//! Accessibility: a phone's width, names for screen readers, reduced motion, dark and light
//! colours.

use ployglot_games::{Game, GameVisitor, visit_games};
use serde_json::json;

use crate::page::Page;
use crate::studio::{go, open_level, page_at};

const SCREENS: [&str; 7] = [
    "gallery", "play", "watch", "edit", "race", "models", "learn",
];

/// The name of the third level of each game: a small one, but not trivial.
struct ThirdLevels(Vec<String>);

impl GameVisitor for ThirdLevels {
    fn visit<G: Game>(&mut self) {
        let level = G::LEVELS.iter().take(3).next_back();
        let name = level.expect("a game has levels").name;
        self.0.push(format!("{}/{name}", G::NAME));
    }
}

/// Visits all screens with a level of the first game, and two screens with a level of each other
/// game.
/// `look` gets the screen and the level.
fn visit_screens(page: &Page, mut look: impl FnMut(&str, &str)) {
    let mut levels = ThirdLevels(Vec::new());
    visit_games(&mut levels);
    for (index, level) in levels.0.iter().enumerate() {
        open_level(page, level);
        let screens = if index == 0 {
            &SCREENS[..]
        } else {
            &["play", "edit"]
        };
        for screen in screens {
            if *screen == "edit" {
                go(page, "play");
                page.click("[data-do=edit]");
            } else {
                go(page, screen);
            }
            page.until(&format!("document.body.dataset.screen === {screen:?}"));
            look(screen, level);
        }
        go(page, "gallery");
    }
}

#[test]
fn no_screen_is_wider_than_a_phone() {
    let Some(page) = page_at("gallery") else {
        return;
    };
    page.size(360, 740);
    visit_screens(&page, |screen, level| {
        let width = page.evaluate("document.documentElement.scrollWidth");
        let culprits = page.evaluate(
            "[...document.querySelectorAll('main *')].filter((element) => element.getBoundingClientRect().right > 361 && !element.closest('.scroll, pre, svg')) \
             .slice(0, 5).map((element) => element.outerHTML.slice(0, 120))",
        );
        assert!(
            width.as_u64() <= Some(360),
            "{screen} with {level}: {width} pixels, {culprits:#}"
        );
    });
}

#[test]
fn everything_that_can_be_used_has_a_name() {
    let Some(page) = page_at("gallery") else {
        return;
    };
    page.call("Accessibility.enable", json!({}));
    visit_screens(&page, |screen, level| {
        let tree = page.call("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().expect("nodes");
        let used = [
            "button",
            "link",
            "textbox",
            "combobox",
            "checkbox",
            "slider",
            "spinbutton",
            "gridcell",
            "application",
            "grid",
            "img",
            "image",
        ];
        let mut seen = 0;
        for node in nodes {
            let role = node["role"]["value"].as_str().unwrap_or("");
            if node["ignored"] == true || !used.contains(&role) {
                continue;
            }
            seen += 1;
            let name = node["name"]["value"].as_str().unwrap_or("");
            assert!(
                !name.trim().is_empty(),
                "{screen} with {level}: a {role} without a name: {node:#}"
            );
        }
        assert!(seen > 8, "{screen}: {seen}");
    });
}

#[test]
fn reduced_motion_is_respected() {
    let Some(page) = page_at("gallery") else {
        return;
    };
    page.prefer("prefers-reduced-motion", "reduce");
    open_level(&page, "bombastic/03-cold-start");
    page.evaluate("(() => { window.filmed = 0; new MutationObserver(() => { if (document.querySelector('.filming')) window.filmed++; }) \
              .observe(document.querySelector('.board'), { attributes: true }); })()");
    page.press("ArrowRight");
    page.until_text("[data-cost]", "1");
    page.press("ArrowUp");
    page.until_text("[data-cost]", "2");
    assert_eq!(page.evaluate("window.filmed"), 0);
    page.prefer("prefers-reduced-motion", "no-preference");
    page.press("ArrowLeft");
    page.until("window.filmed > 0");
}

/// The lowest contrast between a text and its background, with the text's element.
const CONTRAST: &str = r#"(() => {
  const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const texts = [...document.querySelectorAll('main *, header *')].filter((element) => !element.closest('svg, :disabled, kbd, .chip') &&
    [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()) && element.getClientRects().length);
  const rated = texts.map((element) => {
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))].sort((a, b) => b - a);
    return [(a + 0.05) / (b + 0.05), element.outerHTML.slice(0, 160)];
  });
  return rated.sort((a, b) => a[0] - b[0])[0];
})()"#;

#[test]
fn dark_and_light_colours_have_enough_contrast() {
    let Some(page) = page_at("gallery") else {
        return;
    };
    let mut backgrounds = Vec::new();
    for scheme in ["light", "dark"] {
        page.prefer("prefers-color-scheme", scheme);
        backgrounds.push(page.evaluate("getComputedStyle(document.body).backgroundColor"));
        visit_screens(&page, |screen, level| {
            let least = page.evaluate(CONTRAST);
            assert!(
                least[0].as_f64() >= Some(4.5),
                "{scheme} {screen} with {level}: {least}"
            );
        });
    }
    assert_ne!(backgrounds[0], backgrounds[1]);
    // The button overrides the system's setting, also after a reload.
    page.click("[data-do=theme]");
    page.until(&format!(
        "getComputedStyle(document.body).backgroundColor === {}",
        backgrounds[0]
    ));
    page.reload();
    page.until(&format!(
        "getComputedStyle(document.body).backgroundColor === {}",
        backgrounds[0]
    ));
}

#[test]
fn places_outside_the_board_are_named_by_their_row_or_column() {
    let Some(page) = page_at("gallery") else {
        return;
    };
    let words = page.evaluate(
        "import('/page/input.js').then(({ place }) =>
            [[2, 3], [0, 1], [5, 2], [3, 0], [1, 4]].map(([row, col]) => place(row, col, 4, 3)))",
    );
    let expected = ["row 2, column 3", "column 1", "column 2", "row 3", "row 1"];
    assert_eq!(words, json!(expected));
    visit_screens(&page, |screen, level| {
        let outside = page.evaluate(
            "[...document.querySelectorAll('[aria-label]')].map((e) => e.getAttribute('aria-label'))
                .filter((label) => /(row|column) 0\\b/.test(label))",
        );
        assert_eq!(outside, json!([]), "{level}, {screen}");
    });
}
