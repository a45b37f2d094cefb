//! Who may ask. The server is for the page that it served itself: a request must name it as its host, so that a foreign
//! name that points here (DNS rebinding) is refused; and a request that a browser sends for another page, which it marks
//! with that page's origin, is refused too. What goes out forbids the page everything that it does not need.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::Studio;

/// A refusal: the status, and a sentence as JSON.
pub struct Refused(pub StatusCode, pub String);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.0, Json(json!({ "error": { "message": self.1 } }))).into_response()
    }
}

/// What a browser on this machine calls the server.
pub fn hosts(at: SocketAddr) -> Vec<String> {
    let port = at.port();
    let mut hosts = vec![format!("localhost:{port}"), at.to_string()];
    if at.ip().is_unspecified() || at.ip().is_loopback() {
        hosts.extend([format!("127.0.0.1:{port}"), format!("[::1]:{port}")]);
    }
    hosts
}

pub async fn check(
    State(studio): State<Arc<Studio>>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let mut response = match refuse(&studio, request.method(), request.headers()) {
        Some(refused) => refused.into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Scripts, styles, pictures and requests from here alone; no frame around the page; no form leaves it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

fn refuse(studio: &Studio, method: &Method, headers: &HeaderMap) -> Option<Refused> {
    let text = |name: HeaderName| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap_or("?").to_string())
    };
    let forbidden = |why: &str| Some(Refused(StatusCode::FORBIDDEN, why.to_string()));
    let host = text(header::HOST).unwrap_or_default().to_ascii_lowercase();
    if !studio.hosts.contains(&host) {
        return forbidden("this server answers only under its own address");
    }
    if let Some(origin) = text(header::ORIGIN)
        && origin.to_ascii_lowercase() != format!("http://{host}")
    {
        return forbidden("requests of other pages are refused");
    }
    if method == Method::POST {
        let kind = text(header::CONTENT_TYPE).unwrap_or_default();
        if !kind.starts_with("application/json") {
            let why = "the body of a request is JSON".to_string();
            return Some(Refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
        }
    }
    None
}

pub async fn nothing_here() -> Refused {
    Refused(StatusCode::NOT_FOUND, "there is nothing here".to_string())
}
