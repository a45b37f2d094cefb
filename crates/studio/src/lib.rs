//! The studio: play, watch, edit and understand levels in the browser.
//!
//! The page's whole state is a level text and a list of move texts. The server replays them with the slow rules, so the
//! page knows no game; undo, links and watching are lists of texts. Everything that the page needs is inside the program.
//!
//! `guard.rs` decides who may ask, `api/` what can be asked, `work.rs` runs solvers within bounds, `scene.rs` turns boards
//! into what the page draws, `lessons.rs` has small boards that teach the rules, and `page/` is the page.

mod api;
mod guard;
mod lessons;
mod page;
mod scene;
mod work;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};

use api::gallery::Gallery;
use guard::Hosts;
use ployglot_io::failure::Failure;
use work::Works;

/// A level text is the largest thing that a page sends.
const LARGEST_BODY: usize = 4 << 20;

/// What all requests share.
pub struct Studio {
    /// The levels that were given on the command line, with their names.
    given: Vec<(String, String)>,
    gallery: Gallery,
    works: Works,
    hosts: Hosts,
}

/// Serves until the flag is raised. `ready` gets the address that the server listens at.
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
    let served = runtime.block_on(async move {
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
            works: Works::new(stop.clone()),
            hosts: Hosts::of(at),
        });
        ready(at)?;
        // The gallery is hung while the browser opens.
        let early = studio.clone();
        tokio::task::spawn_blocking(move || early.gallery.hang(&early.given));
        let raised = async move {
            while !stop.load(Relaxed) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let server = axum::serve(listener, router(studio));
        tokio::select! {
            ended = server => ended.map_err(|error| Failure::io(origin.as_str(), error)),
            () = raised => Ok(()),
        }
    });
    // A solver may still be on its way out; nobody waits for it.
    runtime.shutdown_timeout(Duration::from_millis(500));
    served
}

fn router(studio: Arc<Studio>) -> Router {
    Router::new()
        .route("/", get(page::index))
        .route("/page/{file}", get(page::file))
        .route("/api/levels", get(api::gallery::levels))
        .route("/api/thumbnail/{number}", get(api::gallery::thumbnail))
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
        .route("/api/new", post(api::design::new))
        .fallback(guard::nothing_here)
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(axum::middleware::from_fn_with_state(
            studio.clone(),
            guard::check,
        ))
        .with_state(studio)
}
