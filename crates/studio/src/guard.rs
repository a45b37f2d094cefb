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

/// What the server may be called. A name that others may point here is not among them; an address cannot be pointed.
pub struct Hosts {
    names: Vec<String>,
    /// Where the server listens at all addresses of the machine, any address with this port is its own.
    any_address: Option<u16>,
}

impl Hosts {
    pub fn of(at: SocketAddr) -> Self {
        let port = at.port();
        let mut names = vec![format!("localhost:{port}"), at.to_string()];
        if at.ip().is_unspecified() || at.ip().is_loopback() {
            names.extend([format!("127.0.0.1:{port}"), format!("[::1]:{port}")]);
        }
        // The usual port is not named.
        if port == 80 {
            let bare = names.iter().filter_map(|name| name.strip_suffix(":80"));
            let bare: Vec<String> = bare.map(str::to_string).collect();
            names.extend(bare);
        }
        let any_address = at.ip().is_unspecified().then_some(port);
        Self { names, any_address }
    }

    fn contain(&self, host: &str) -> bool {
        let by_address = || {
            host.parse::<SocketAddr>()
                .ok()
                .map(|address| address.port())
        };
        self.names.iter().any(|name| name == host)
            || self.any_address.is_some() && by_address() == self.any_address
    }
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
    // What the framework refuses by itself, such as a body that is too large, gets a sentence too.
    let is_json = |response: &Response| {
        let kind = response.headers().get(header::CONTENT_TYPE);
        kind.is_some_and(|kind| kind == "application/json")
    };
    if response.status().is_client_error() && !is_json(&response) {
        let status = response.status();
        let why = match status {
            StatusCode::PAYLOAD_TOO_LARGE => "the request is too large",
            StatusCode::METHOD_NOT_ALLOWED => "this is not asked that way",
            _ => "the request makes no sense",
        };
        response = Refused(status, why.to_string()).into_response();
    }
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
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

fn refuse(studio: &Studio, method: &Method, headers: &HeaderMap) -> Option<Refused> {
    let text = |name: HeaderName| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap_or("?").to_string())
    };
    let forbidden = |why: &str| Some(Refused(StatusCode::FORBIDDEN, why.to_string()));
    let host = text(header::HOST).unwrap_or_default().to_ascii_lowercase();
    if !studio.hosts.contain(&host) {
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

#[cfg(test)]
mod tests {
    use super::Hosts;

    #[test]
    fn only_its_own_names_and_addresses_are_the_server() {
        let local = Hosts::of("127.0.0.1:7878".parse().expect("an address"));
        let open = Hosts::of("0.0.0.0:7878".parse().expect("an address"));
        for (host, at_home, everywhere) in [
            ("localhost:7878", true, true),
            ("127.0.0.1:7878", true, true),
            ("192.168.1.5:7878", false, true),
            ("192.168.1.5:80", false, false),
            ("evil.example:7878", false, false),
            ("127.0.0.1.evil.example:7878", false, false),
            ("localhost", false, false),
            ("", false, false),
        ] {
            assert_eq!(
                (local.contain(host), open.contain(host)),
                (at_home, everywhere),
                "{host}"
            );
        }
    }
}
