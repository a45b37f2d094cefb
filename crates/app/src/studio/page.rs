//! The files of the page, which are part of the program. A request names one of them, and never a path.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::guard::Refused;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("page/", $name)))),*];
    };
}

files! {
    "index.html", "style.css", "main.js", "api.js", "board.js", "store.js", "link.js", "gallery.js", "play.js", "watch.js",
    "edit.js", "race.js", "learn.js", "dom.js",
}

pub async fn index() -> Response {
    respond("index.html")
}

pub async fn file(Path(name): Path<String>) -> Response {
    respond(&name)
}

fn respond(name: &str) -> Response {
    let Some((name, text)) = FILES.iter().find(|(known, _)| *known == name) else {
        return Refused(StatusCode::NOT_FOUND, "there is no such file".to_string()).into_response();
    };
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        _ => "text/javascript; charset=utf-8",
    };
    ([(header::CONTENT_TYPE, kind)], *text).into_response()
}

#[cfg(test)]
mod tests {
    use super::FILES;

    #[test]
    fn the_page_is_small() {
        let size: usize = FILES.iter().map(|(_, text)| text.len()).sum();
        assert!(size < 500_000, "{size} bytes");
    }
}
