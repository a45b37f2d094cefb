//! Speed: the bytes of a first visit, and the time for each frame of a large cascade.

use std::time::Instant;

use serde_json::json;

use crate::page::Page;
use crate::studio::{address, go, new_page, paste};

#[test]
fn a_first_visit_loads_less_than_half_a_megabyte() {
    let Some(page) = new_page() else { return };
    let begun = Instant::now();
    page.open(&format!("{}/", address()));
    page.until("document.querySelectorAll('.card img').length > 50 && [...document.images].slice(0, 6).every((image) => image.complete && image.naturalWidth)");
    eprintln!(
        "the first boards of the gallery are there after {:?}",
        begun.elapsed()
    );
    let bytes = |page: &Page| -> f64 {
        let done = page.messages("Network.loadingFinished");
        done.iter()
            .filter_map(|load| load["encodedDataLength"].as_f64())
            .sum()
    };
    let gallery = bytes(&page);
    // The same with a level opened.
    page.click("[data-level='plotting/04-staircase']");
    page.until("document.body.dataset.screen === 'play'");
    let all = bytes(&page);
    eprintln!("{gallery} bytes for the gallery, {all} with a game");
    assert!(gallery > 50_000.0 && all < 500_000.0, "{gallery}, {all}");
    // Everything is from this server.
    let foreign: Vec<_> = page.messages("Network.requestWillBeSent");
    assert!(foreign.iter().all(|request| {
        request["request"]["url"]
            .as_str()
            .is_some_and(|url| url.starts_with(address()) || url.starts_with("data:"))
    }));
}

/// The block at the top of the second column falls down the first one, which starts fifty rounds of
/// falling and matching among 122 blocks.
const CASCADE: &str = "game: puzznic\n\n\
    ##############\n\
    #.HQCJIKGQTUF#\n\
    #.DCYMKANTXZR#\n\
    #.OVNTBPZZDBL#\n\
    #.BMTFVQMEUZU#\n\
    #.NBUYMGURPYR#\n\
    #.HIWGOXXCQZG#\n\
    #.EXHTXHGCOPZ#\n\
    #.VHTXDLFORPE#\n\
    #.OIGNIRMSZLW#\n\
    #.HQLOEITERBI#\n\
    #.AIBDHBLGIKU#\n\
    #.HAIBDHBLGIK#\n\
    ##############\n\
";

#[test]
fn a_cascade_on_twelve_by_twelve_leaves_time_for_sixty_frames() {
    let Some(page) = new_page() else { return };
    // Measures the page's work on each frame; the number of frames depends on the machine too.
    let hook = "(() => { const ask = window.requestAnimationFrame.bind(window); window.work = []; \
                window.requestAnimationFrame = (act) => ask((now) => { const begun = performance.now(); act(now); \
                window.work.push([now, performance.now() - begun]); }); })()";
    page.call(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({ "source": hook }),
    );
    go(&page, "gallery");
    paste(&page, CASCADE);
    let frames = |page: &Page| -> Vec<(f64, f64)> {
        let answer = page.evaluate("window.work");
        let answer = answer.as_array().expect("frames").iter();
        answer
            .map(|frame| {
                (
                    frame[0].as_f64().expect("a time"),
                    frame[1].as_f64().expect("a time"),
                )
            })
            .collect()
    };
    page.evaluate("window.work.length = 0");
    page.press("ArrowUp");
    page.press("Enter");
    page.press("ArrowLeft");
    page.until_text("[data-cost]", "1");
    page.until("window.work.length > 30 && !document.querySelector('.filming')");
    let frames = frames(&page);
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let work = median(frames.iter().map(|frame| frame.1).collect());
    let apart = median(
        frames
            .windows(2)
            .map(|pair| pair[1].0 - pair[0].0)
            .collect(),
    );
    let seconds = (frames[frames.len() - 1].0 - frames[0].0) / 1000.0;
    eprintln!(
        "{} frames in {seconds:.1} s, {apart:.1} ms apart, {work:.2} ms of work each (medians)",
        frames.len()
    );
    assert!(
        work < 8.0,
        "half of the time between two frames is not enough: {work} ms"
    );
}
