//! The studio: play, watch, edit and understand levels in the browser.
//!
//! The whole state of the page is a level text and a list of moves as text. The server replays the
//! moves by the slow rules, so the page knows no game; undo, links and watching need only lists of
//! texts. All files of the page are part of the program.
//!
//! [`serve`] is the only entry point. `connections.rs` accepts connections, `guard.rs` decides which requests are answered, `api/`
//! answers them, `jobs.rs` does the work within limits, `drawings.rs` turns boards into what the
//! page draws, `lessons.rs` lists the lessons of the games, and `page/` is the page.

mod api;
mod connections;
mod drawings;
mod guard;
mod jobs;
mod lessons;
mod page;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use axum::Router;
use axum::routing::{get, post};

use api::gallery::Gallery;
use guard::Hosts;
use jobs::Jobs;
use ployglot_io::failure::Failure;

/// The state that all requests share.
struct Studio {
    /// The levels that were given on the command line: names and texts.
    given: Vec<(String, String)>,
    gallery: Gallery,
    jobs: Jobs,
    hosts: Hosts,
}

/// Serves the studio at this address and port until `stop` is set. Port 0 takes any free port.
/// `given` are the names and texts of the user's levels, which the gallery shows first. `ready` is
/// called once, with the address that the server listens at.
pub fn serve(
    given: Vec<(String, String)>,
    address: IpAddr,
    port: u16,
    stop: Arc<AtomicBool>,
    ready: impl FnOnce(SocketAddr) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .worker_threads(2)
        .build()
        .map_err(|error| Failure::io("the server", error))?;
    let result = runtime.block_on(async move {
        let origin = format!("{address}:{port}");
        let listener = tokio::net::TcpListener::bind((address, port))
            .await
            .map_err(|error| Failure::io(origin.as_str(), error))?;
        let at = listener
            .local_addr()
            .map_err(|error| Failure::io(origin.as_str(), error))?;
        let studio = Arc::new(Studio {
            given,
            gallery: Gallery::default(),
            jobs: Jobs::new(stop.clone()),
            hosts: Hosts::new(at),
        });
        ready(at)?;
        // The gallery is prepared while the browser opens.
        let preparing = studio.clone();
        tokio::task::spawn_blocking(move || preparing.gallery.prepare(&preparing.given));
        let stopped = async move {
            while !stop.load(Relaxed) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::select! {
            () = connections::accept(listener, router(studio)) => {}
            () = stopped => {}
        }
        Ok(())
    });
    // A solver may need a while to notice its interrupt; do not wait for it.
    runtime.shutdown_timeout(Duration::from_millis(500));
    result
}

fn router(studio: Arc<Studio>) -> Router {
    Router::new()
        .route("/", get(page::index))
        .route("/page/{file}", get(page::file))
        .route("/api/levels", get(api::gallery::levels))
        .route("/api/thumbnail/{number}", get(api::gallery::thumbnail))
        .route("/api/open", post(api::gallery::open))
        .route("/api/board", post(api::board::board))
        .route("/api/plan", post(api::board::plan))
        .route("/api/level", post(api::texts::level))
        .route("/api/routes", post(api::texts::routes))
        .route("/api/models", post(api::texts::models))
        .route("/api/picture", post(api::texts::picture))
        .route("/api/hint", post(api::solve::hint))
        .route("/api/solve", post(api::solve::solve))
        .route("/api/rate", post(api::design::rate))
        .route("/api/intended", post(api::design::intended))
        .route("/api/new", post(api::design::generate))
        .fallback(guard::not_found)
        .layer(axum::middleware::from_fn_with_state(
            studio.clone(),
            guard::guard,
        ))
        .with_state(studio)
}
