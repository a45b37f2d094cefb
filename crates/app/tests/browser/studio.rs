//! The server under test, and pages that it serves.
//!
//! One server is enough for all tests: the page's whole state is in the browser.

use std::sync::OnceLock;

use ployglot_testing::server::Server;
use ployglot_testing::skip::skip;

use crate::devtools::browser;
use crate::page::Page;

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(Server::until_exit)
}

/// The address of the server: `http://127.0.0.1:PORT`.
pub fn address() -> &'static str {
    &server().address
}

/// An empty page in a new profile. `None`: no browser is installed, and the current test is
/// skipped.
pub fn new_page() -> Option<Page> {
    let browser = browser();
    if browser.is_none() {
        skip("there is no chromium ('scripts/setup browser' installs it)");
    }
    browser.map(Page::new)
}

/// A page with a screen of the studio open: `gallery`, `learn`.
pub fn page_at(screen: &str) -> Option<Page> {
    let page = new_page()?;
    go(&page, screen);
    Some(page)
}

/// Opens a screen by its address; opens it again if it is open already.
pub fn go(page: &Page, screen: &str) {
    let inside = page.evaluate("location.origin") == address();
    if inside {
        page.evaluate(&format!(
            "(() => {{ delete document.body.dataset.screen; if (location.hash !== '#{screen}') location.hash = '{screen}'; \
             else dispatchEvent(new Event('hashchange')); }})()"
        ));
    } else {
        page.open(&format!("{}/#{screen}", address()));
    }
    page.until(&format!("document.body.dataset.screen === {screen:?}"));
}

/// Opens a screen by a click on its name.
pub fn click_screen(page: &Page, screen: &str) {
    page.click(&format!("nav [data-screen={screen}]"));
    page.until(&format!("document.body.dataset.screen === {screen:?}"));
}

/// A page that plays this level, which is pasted into the gallery.
pub fn play(level: &str) -> Option<Page> {
    let page = page_at("gallery")?;
    paste(&page, level);
    Some(page)
}

/// Pastes a level into the gallery, which must be open, and opens it.
pub fn paste(page: &Page, level: &str) {
    page.fill("[data-field=paste]", level);
    page.click("[data-do=open]");
    page.until("document.body.dataset.screen === 'play'");
}

/// Opens a level of the gallery by a click on its card.
pub fn open_level(page: &Page, name: &str) {
    if page.evaluate("document.body.dataset.screen") != "gallery" {
        go(page, "gallery");
    }
    page.click(&format!("[data-level={name:?}]"));
    page.until("document.body.dataset.screen === 'play'");
}
