//! Makes the pictures of the documentation in the browser; run by `scripts/pictures`.

use std::path::PathBuf;

use ployglot_testing::skip::skip;
use serde_json::json;

use crate::page::{Page, text};
use crate::studio::{click_screen, go, open_level, page_at, paste};

#[test]
#[ignore = "writes docs/pictures; scripts/pictures runs it"]
fn pictures_of_every_screen() {
    if std::env::var_os("PLOY_PICTURES").is_none() {
        return skip("scripts/pictures makes the pictures");
    }
    let page = page_at("gallery").expect("pictures need chromium");
    page.size(1000, 700);
    page.until("[...document.images].slice(0, 12).every((image) => image.naturalWidth > 0)");
    take(&page, "gallery");

    open_level(&page, "puzznic/09-drawbridge");
    page.press("2");
    page.until("!!document.querySelector('.hinted')");
    page.evaluate("document.getAnimations().forEach((animation) => animation.finish())");
    take(&page, "play");

    open_level(&page, "plotting/07-barred-windows");
    page.click("[data-do=solve]");
    page.until_text("[data-note]", "proven best");
    for _ in 0..3 {
        page.press("ArrowRight");
        page.until("!document.querySelector('.filming')");
    }
    take(&page, "watch");

    go(&page, "gallery");
    paste(
        &page,
        "game: bombastic\ntitle: Across the ice\n\n--~~~--\n@-~-~$.\n--~~~--\n-$----.\n",
    );
    page.click("[data-do=edit]");
    page.until_text("[data-badge]", "par");
    page.click("[data-do=lock-best]");
    page.until("!!document.querySelector('[data-lock]')");
    page.size(1000, 900);
    take(&page, "edit");

    open_level(&page, "puzznic/06-bridge");
    click_screen(&page, "race");
    page.click("[data-do=race]");
    page.until("document.querySelector('[data-verdict]').dataset.verdict !== ''");
    page.size(1000, 1020);
    take(&page, "race");
    page.size(1000, 700);

    page.prefer("prefers-color-scheme", "dark");
    page.until("document.querySelector('#toast').textContent === ''");
    go(&page, "learn");
    page.click("[data-game=lunar-lockout]");
    page.until("document.querySelectorAll('[data-lesson] .marks > *').length > 3");
    take(&page, "learn-dark");

    page.size(360, 700);
    open_level(&page, "pipe-mania/06-one-way-streets");
    take(&page, "phone-dark");
}

/// Saves the visible part of the page, with the pointer in a corner, after two frames.
fn take(page: &Page, name: &str) {
    page.pointer("mouseMoved", &json!([1, 1]));
    page.evaluate("scrollTo(0, 0)");
    page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    let shot = page.call("Page.captureScreenshot", json!({ "format": "png" }));
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(
        folder.join(format!("{name}.png")),
        decode(&text(&shot["data"])),
    )
    .expect("a picture");
}

/// Base64, as the protocol sends bytes.
fn decode(letters: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let values = letters
        .bytes()
        .filter_map(|letter| ALPHABET.iter().position(|&known| known == letter));
    let values: Vec<u32> = values.map(|value| value as u32).collect();
    let groups = values.chunks(4).flat_map(|group| {
        let bits = group.iter().fold(0, |bits, value| bits << 6 | value) << (6 * (4 - group.len()));
        bits.to_be_bytes()[1..group.len()].to_vec()
    });
    groups.collect()
}
