//! Which requests are answered, and the security headers of the answers.
//!
//! The server is for its own page only. A request must name the server as its host, so that a
//! foreign name that resolves to this machine (DNS rebinding) is refused. A request that a browser
//! sends for another page carries that page's origin, and is refused too. The headers of every
//! answer forbid the page everything that it does not need. The body of a request is read here,
//! within a limit of bytes and of time.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::Studio;

/// The largest body of a request, in bytes. A level text is the largest thing that a page sends.
const MAX_BODY: usize = 4 << 20;
/// The longest time until the body of a request has arrived.
const BODY_TIME: Duration = Duration::from_secs(10);

/// An error as the page gets it: a status, and a message as JSON.
pub struct ApiError {
    /// The HTTP status.
    pub status: StatusCode,
    /// What is wrong, for the user.
    pub message: String,
}

impl ApiError {
    /// An error with this status and message.
    pub fn new(status: StatusCode, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { status, message }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = json!({ "error": { "message": self.message } });
        (self.status, Json(body)).into_response()
    }
}

/// The values of the `Host` header that mean this server: `localhost` and addresses. No other host
/// name is accepted, because others decide which address a name resolves to.
pub struct Hosts {
    names: Vec<String>,
    /// The port, if the server listens at all addresses of the machine: then any address with this
    /// port is accepted.
    any_address: Option<u16>,
}

impl Hosts {
    /// The hosts of a server that listens at this address.
    pub fn new(at: SocketAddr) -> Self {
        let port = at.port();
        let mut names = vec![format!("localhost:{port}"), at.to_string()];
        if at.ip().is_unspecified() || at.ip().is_loopback() {
            names.extend([format!("127.0.0.1:{port}"), format!("[::1]:{port}")]);
        }
        // Browsers leave out the default port.
        if port == 80 {
            let bare = names.iter().filter_map(|name| name.strip_suffix(":80"));
            let bare: Vec<String> = bare.map(str::to_string).collect();
            names.extend(bare);
        }
        let any_address = at.ip().is_unspecified().then_some(port);
        Self { names, any_address }
    }

    fn contains(&self, host: &str) -> bool {
        let port = || {
            host.parse::<SocketAddr>()
                .ok()
                .map(|address| address.port())
        };
        self.names.iter().any(|name| name == host)
            || self.any_address.is_some() && port() == self.any_address
    }
}

/// The middleware around all requests: refuses the requests of others, and adds the headers.
pub async fn guard(
    State(studio): State<Arc<Studio>>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let mut response = match check(&studio, request.method(), request.headers()) {
        Err(error) => error.into_response(),
        Ok(()) => match with_body(request).await {
            Err(error) => error.into_response(),
            Ok(request) => next.run(request).await,
        },
    };
    // The framework's own errors, such as a wrong method, get a JSON message too.
    let is_json = |response: &Response| {
        let kind = response.headers().get(header::CONTENT_TYPE);
        kind.is_some_and(|kind| kind == "application/json")
    };
    if response.status().is_client_error() && !is_json(&response) {
        let status = response.status();
        let message = match status {
            StatusCode::METHOD_NOT_ALLOWED => "this address does not accept this method",
            _ => "the request is not valid",
        };
        response = ApiError::new(status, message).into_response();
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

/// The request with its whole body.
async fn with_body(request: Request<Body>) -> Result<Request<Body>, ApiError> {
    let (head, body) = request.into_parts();
    let body = tokio::time::timeout(BODY_TIME, to_bytes(body, MAX_BODY)).await;
    let body = body.map_err(|_| {
        let message = "the request did not arrive in time";
        ApiError::new(StatusCode::REQUEST_TIMEOUT, message)
    })?;
    let body = body.map_err(|_| {
        let message = "the request is too large, or ended too early";
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    })?;
    Ok(Request::from_parts(head, Body::from(body)))
}

/// Scripts, styles, pictures and requests from this server only; no frame around the page, and no
/// form that sends to another server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

fn check(studio: &Studio, method: &Method, headers: &HeaderMap) -> Result<(), ApiError> {
    let text = |name: HeaderName| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap_or("?").to_string())
    };
    let forbidden = |message: &str| Err(ApiError::new(StatusCode::FORBIDDEN, message));
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
            let message = "the body of a request must be JSON";
            return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
        }
    }
    Ok(())
}

/// The answer to a path that does not exist.
pub async fn not_found() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "there is no such page")
}

#[cfg(test)]
mod tests {
    use super::Hosts;

    #[test]
    fn only_the_servers_own_names_and_addresses_are_accepted() {
        let local = Hosts::new("127.0.0.1:7878".parse().expect("an address"));
        let open = Hosts::new("0.0.0.0:7878".parse().expect("an address"));
        for (host, when_local, when_open) in [
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
                (local.contains(host), open.contains(host)),
                (when_local, when_open),
                "{host}"
            );
        }
    }
}
