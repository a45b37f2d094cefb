//! Accepts connections and drops those that are not used: one whose request does not arrive, one
//! that is idle, and one whose other end has vanished without closing it. (`axum::serve` keeps them
//! for good.)

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// The largest number of connections; others wait until one is free.
const MAX_CONNECTIONS: usize = 256;
/// The longest time until the head of a request has arrived, also of the next one on an idle
/// connection.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// The largest head of a request, in bytes.
const MAX_HEAD: usize = 64 << 10;
/// How long sent bytes may stay unacknowledged by the other end.
const ACKNOWLEDGE_TIME: Duration = Duration::from_secs(30);

/// Accepts connections for good, and serves each as a task of its own.
pub async fn accept(listener: TcpListener, router: Router) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let place = places.clone().acquire_owned().await;
        let Ok((stream, _)) = listener.accept().await else {
            // Too many files are open, or the other end has gone already.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        notice_lost_peers(&stream);
        let service = TowerToHyperService::new(router.clone());
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIME)
            .max_buf_size(MAX_HEAD)
            .serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move {
            // An error is a broken connection: there is no other end to tell.
            let _ = connection.await;
            drop(place);
        });
    }
}

/// Lets the system close a connection whose other end does not answer any more.
fn notice_lost_peers(stream: &TcpStream) {
    let socket = socket2::SockRef::from(stream);
    let probes = socket2::TcpKeepalive::new()
        .with_time(ACKNOWLEDGE_TIME)
        .with_interval(ACKNOWLEDGE_TIME / 3);
    // Where the system does not have these options, such a connection is kept longer.
    let _ = socket.set_tcp_keepalive(&probes);
    #[cfg(target_os = "linux")]
    let _ = socket.set_tcp_user_timeout(Some(ACKNOWLEDGE_TIME));
}
