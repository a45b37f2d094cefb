//! The files of the page, which are part of the program. A request names one of them, never a path.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::guard::ApiError;

/// The files, with their contents as they were at compile time.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("page/", $name)))),*];
    };
}

files! {
    "index.html", "style.css", "icon.svg", "main.js", "theme.js", "dom.js", "api.js", "store.js",
    "history.js", "link.js", "board.js", "input.js", "gallery.js", "play.js", "watch.js", "edit.js",
    "canvas.js", "intended.js", "generator.js", "race.js", "chart.js", "models.js", "learn.js",
    "markdown.js",
}

/// The page itself.
pub async fn index() -> Response {
    respond("index.html")
}

/// A file that the page loads.
pub async fn file(Path(name): Path<String>) -> Response {
    respond(&name)
}

fn respond(name: &str) -> Response {
    let Some((name, text)) = FILES.iter().find(|(known, _)| *known == name) else {
        return ApiError::new(StatusCode::NOT_FOUND, "there is no such file").into_response();
    };
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    };
    ([(header::CONTENT_TYPE, kind)], *text).into_response()
}

#[cfg(test)]
mod tests {
    use super::FILES;

    #[test]
    fn every_module_is_preloaded() {
        let (_, index) = FILES[0];
        let modules = FILES.iter().filter(|(name, _)| name.ends_with(".js"));
        for (name, _) in modules {
            let link = format!("=\"/page/{name}\"");
            assert_eq!(index.matches(&link).count(), 1, "{name}");
        }
    }

    #[test]
    fn the_page_is_small() {
        let size: usize = FILES.iter().map(|(_, text)| text.len()).sum();
        assert!(size < 500_000, "{size} bytes");
    }
}
