//! The server under test, and pages that it serves.
//!
//! One server is enough for all tests: the page's whole state is in the browser.

use std::sync::OnceLock;

use ployglot_testing::server::Server;

use crate::devtools::browser;
use crate::page::Page;

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(Server::until_exit)
}

/// `http://127.0.0.1:PORT`
pub fn address() -> &'static str {
    &server().address
}

/// A page in a fresh profile, still empty. `None`: there is no browser here.
pub fn visitor() -> Option<Page> {
    browser().map(Page::new)
}

/// A page with a room of the studio open: `gallery`, `learn`.
pub fn enter(room: &str) -> Option<Page> {
    let page = visitor()?;
    go(&page, room);
    Some(page)
}

/// Goes to the address of a room, also where the page is there already: then it opens anew.
pub fn go(page: &Page, room: &str) {
    let inside = page.see("location.origin") == address();
    if inside {
        page.see(&format!(
            "(() => {{ delete document.body.dataset.room; if (location.hash !== '#{room}') location.hash = '{room}'; \
             else dispatchEvent(new Event('hashchange')); }})()"
        ));
    } else {
        page.open(&format!("{}/#{room}", address()));
    }
    page.until(&format!("document.body.dataset.room === {room:?}"));
}

/// Clicks on the name of a room.
pub fn walk(page: &Page, room: &str) {
    page.click(&format!("nav [data-room={room}]"));
    page.until(&format!("document.body.dataset.room === {room:?}"));
}

/// A page where this level is about to be played: pasted into the gallery, as a person would.
pub fn play(level: &str) -> Option<Page> {
    let page = enter("gallery")?;
    paste(&page, level);
    Some(page)
}

pub fn paste(page: &Page, level: &str) {
    page.fill("[data-field=paste]", level);
    page.click("[data-do=open]");
    page.until("document.body.dataset.room === 'play'");
}

/// Opens a level of the gallery by a click on its card.
pub fn open_level(page: &Page, name: &str) {
    if page.see("document.body.dataset.room") != "gallery" {
        go(page, "gallery");
    }
    page.click(&format!("[data-level={name:?}]"));
    page.until("document.body.dataset.room === 'play'");
}
