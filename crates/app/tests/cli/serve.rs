//! `ploy serve` over plain sockets: requests of a browser, and hostile requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use ployglot_testing::server::Server;
use serde_json::{Value, json};

const LEVEL: &str = "game: plotting\ngoal: 1\n\nRRG\nRRG\n";

/// Breadth-first search would take hours.
const HARD: &str = "game: plotting\ngoal: 4\n\nRGBYPRGB\nYPRGBYPR\nGBYRPGBY\nPRYBGRYP\nBYGRPYBG\nRPBGYRPB\nYGRPBGYR\nPBYRGPBY\n";

/// A server, and requests to it.
struct Client {
    server: Server,
}

impl Client {
    fn start() -> Client {
        let server = Server::start();
        Client { server }
    }

    fn host(&self) -> &str {
        self.server.host()
    }

    /// Sends a request and returns the status, the head and the body of the response.
    fn send(&self, request: &str, headers: &str, body: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(self.host()).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("a timeout");
        let length = body.len();
        write!(stream, "{request} HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}").expect("it reads");
        let mut bytes = Vec::new();
        // The server may refuse a request before it has read the whole body.
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|code| code.parse().ok())
            .unwrap_or(0);
        (status, head.to_ascii_lowercase(), body.to_string())
    }

    /// The headers of a request from the studio's own page.
    fn own_headers(&self) -> String {
        format!(
            "Host: {0}\r\nOrigin: http://{0}\r\nContent-Type: application/json\r\n",
            self.host()
        )
    }

    fn ask(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, _, text) = self.send(
            &format!("POST {path}"),
            &self.own_headers(),
            &body.to_string(),
        );
        (
            status,
            serde_json::from_str(&text).unwrap_or_else(|bad| panic!("{path}: {bad}: {text}")),
        )
    }

    /// Sends a request and does not wait for the response.
    fn start_request(&self, path: &str, body: &Value) -> TcpStream {
        let mut stream = TcpStream::connect(self.host()).expect("it listens");
        let body = body.to_string();
        let length = body.len();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\n{}Content-Length: {length}\r\n\r\n{body}",
            self.own_headers()
        )
        .expect("it reads");
        stream
    }

    /// Starts a run that would take long, and returns the first line of the response.
    fn begin(&self, level: &str) -> (TcpStream, String) {
        let body = json!({ "level": level, "route": "search:bfs", "seconds": 200 });
        let stream = self.start_request("/api/solve", &body);
        let mut first = String::new();
        BufReader::new(&stream)
            .read_line(&mut first)
            .expect("an answer begins");
        (stream, first)
    }
}

#[test]
fn the_page_and_its_parts_are_served() {
    let client = Client::start();
    let get = |path: &str| {
        client.send(
            &format!("GET {path}"),
            &format!("Host: {}\r\n", client.host()),
            "",
        )
    };
    let (status, head, body) = get("/");
    assert_eq!(status, 200);
    assert!(head.contains("content-security-policy: default-src 'none'; script-src 'self'"));
    // Every file that the page refers to is served, and so are the files that those import.
    let mut names: Vec<String> = body
        .split("/page/")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap_or("").to_string())
        .collect();
    let mut seen = 0;
    while let Some(name) = names.get(seen).cloned() {
        let (status, _, text) = get(&format!("/page/{name}"));
        assert_eq!(status, 200, "{name}");
        for rest in text.split("from \"./").skip(1) {
            let import = rest.split('"').next().unwrap_or("").to_string();
            if !names.contains(&import) {
                names.push(import);
            }
        }
        seen += 1;
    }
    assert!(seen > 8, "{names:?}");
    let (status, _, levels) = get("/api/levels");
    let levels: Value = serde_json::from_str(&levels).expect("JSON");
    assert_eq!(
        (status, levels["games"].as_array().map(Vec::len)),
        (200, Some(ployglot_games::NAMES.len()))
    );
    let levels = levels["levels"].as_array().expect("a list");
    assert!(levels.len() > 50);
    // Every built-in par is certified, and the hash is that of the list.
    for certified in ployglot_certificate::certified() {
        let mut named = levels.iter().filter(|it| it["name"] == certified.level);
        let level = named.next().expect(certified.level);
        assert_eq!(level["certificate"], certified.sha256, "{level}");
    }
}

#[test]
fn a_level_is_played_by_requests() {
    let client = Client::start();
    let (status, start) = client.ask("/api/board", &json!({ "level": LEVEL, "moves": [] }));
    assert_eq!(
        (status, &start["over"], &start["cost"]),
        (200, &false.into(), &0.into())
    );
    let (_, hint) = client.ask(
        "/api/hint",
        &json!({ "level": LEVEL, "moves": [], "grade": 3 }),
    );
    assert_eq!(hint["hint"], "solvable");
    let mut moves: Vec<Value> = Vec::new();
    let mut hint = hint;
    while hint["hint"] == "solvable" {
        let played = client
            .ask(
                "/api/board",
                &json!({ "level": LEVEL, "moves": moves, "try": hint["move"] }),
            )
            .1;
        assert!(!played["film"].as_array().expect("a film").is_empty());
        moves.push(played["move"].clone());
        hint = client
            .ask(
                "/api/hint",
                &json!({ "level": LEVEL, "moves": moves, "grade": 3 }),
            )
            .1;
    }
    assert_eq!(hint["hint"], "done");
    let texts: Vec<&str> = moves.iter().filter_map(Value::as_str).collect();
    let (_, plan) = client.ask(
        "/api/plan",
        &json!({ "level": LEVEL, "plan": texts.join("\n") }),
    );
    assert_eq!(
        plan["views"].as_array().map(Vec::len),
        Some(moves.len() + 1)
    );
    assert_eq!(plan["shortfall"], Value::Null);
    let (_, intended) = client.ask("/api/intended", &json!({ "level": LEVEL, "moves": moves }));
    assert_eq!(intended["verdict"], "best");
    let refused = client
        .ask(
            "/api/board",
            &json!({ "level": "game: plotting\ngoal: 2\nhand: G\n\nRR\nRR\n", "try": "row 1" }),
        )
        .1;
    assert!(
        refused["refused"]
            .as_str()
            .is_some_and(|why| why.len() > 10),
        "{refused}"
    );
}

#[test]
fn runs_stream_their_progress() {
    let client = Client::start();
    for (path, body) in [
        (
            "/api/solve",
            json!({ "level": LEVEL, "route": "search:bfs" }),
        ),
        ("/api/rate", json!({ "level": LEVEL })),
        (
            "/api/new",
            json!({ "game": "plotting", "rows": 4, "cols": 4, "seed": 3, "par": [4, 6] }),
        ),
    ] {
        let (status, head, text) = client.send(
            &format!("POST {path}"),
            &client.own_headers(),
            &body.to_string(),
        );
        assert_eq!(status, 200, "{path}: {text}");
        assert!(head.contains("text/event-stream"));
        assert!(text.contains("event: answer\n"), "{path}: {text}");
    }
    let (_, _, text) = client.send(
        "POST /api/solve",
        &client.own_headers(),
        &json!({ "level": LEVEL, "route": "no:such" }).to_string(),
    );
    assert!(text.contains("event: failure\n"), "{text}");
}

#[test]
fn foreign_origins_and_invalid_requests_are_refused() {
    let client = Client::start();
    let body = json!({ "level": LEVEL }).to_string();
    let host = client.host();
    let json = "Content-Type: application/json\r\n";
    for (headers, expected) in [
        (format!("Host: evil.example\r\n{json}"), 403),
        (
            format!("Host: {host}\r\nOrigin: http://evil.example\r\n{json}"),
            403,
        ),
        (format!("Host: {host}\r\nContent-Type: text/plain\r\n"), 415),
        (json.to_string(), 400),
    ] {
        let (status, _, _) = client.send("POST /api/board", &headers, &body);
        assert!(
            status == expected || expected == 400 && status == 403,
            "{headers}: {status}"
        );
    }
    for invalid in [
        "",
        "{",
        "[]",
        "{\"level\": 7}",
        "{\"level\": \"game: plotting\\n\\nR?\\n\"}",
        "{\"level\": \"game: chess\\n\\nK\\n\"}",
    ] {
        let (status, _, text) = client.send("POST /api/board", &client.own_headers(), invalid);
        assert!((400..500).contains(&status), "{invalid}: {status}");
        let answer: Value =
            serde_json::from_str(&text).unwrap_or_else(|bad| panic!("{invalid}: {bad}: {text}"));
        assert!(answer["error"]["message"].is_string(), "{text}");
    }
    let long = "R".repeat(5 << 20);
    let (status, _, _) = client.send(
        "POST /api/board",
        &client.own_headers(),
        &json!({ "level": long }).to_string(),
    );
    assert!(status == 413 || status == 400 || status == 0, "{status}");
    for path in [
        "/page/../Cargo.toml",
        "/page/..%2f..%2fmod.rs",
        "/etc/passwd",
        "/page/",
    ] {
        let (status, _, text) =
            client.send(&format!("GET {path}"), &format!("Host: {host}\r\n"), "");
        assert!(
            status == 404 && !text.contains("[package]"),
            "{path}: {status}"
        );
    }
}

#[test]
fn an_interrupt_ends_the_server_with_code_0() {
    let mut client = Client::start();
    // A run that would take long has started.
    let stream = client.begin(HARD);
    assert!(stream.1.contains("200"), "{}", stream.1);
    let kill = std::process::Command::new("kill")
        .args(["-INT", &client.server.child.id().to_string()])
        .status();
    assert!(kill.is_ok_and(|status| status.success()));
    assert_eq!(client.server.child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn the_number_of_runs_is_bounded_and_closed_connections_end_them() {
    let client = Client::start();
    let mut streams = Vec::new();
    let refused = loop {
        let (stream, first) = client.begin(HARD);
        if first.contains("503") {
            break streams.len();
        }
        assert!(first.contains("200"), "{first}");
        streams.push(stream);
        assert!(streams.len() < 50, "there is a bound");
    };
    assert!(refused >= 4, "several routes can run at once");
    // When the connections are closed, the runs end long before their time limit.
    drop(streams);
    let mut tries = 0;
    while client.begin(LEVEL).1.contains("503") {
        std::thread::sleep(Duration::from_millis(100));
        tries += 1;
        assert!(
            tries < 600,
            "the runs continue after their connections were closed"
        );
    }
}

#[test]
fn a_grip_is_a_move_or_is_refused_with_a_reason() {
    let client = Client::start();
    let ask = |row: u32, col: u32, toward: &str| {
        let grip = json!({ "row": row, "col": col, "toward": toward });
        client
            .ask(
                "/api/board",
                &json!({ "level": "game: bombastic\n\n@$.\n", "grip": grip }),
            )
            .1
    };
    assert_eq!(ask(1, 1, "right")["move"], "right");
    assert!(
        ask(1, 1, "left")["refused"]
            .as_str()
            .is_some_and(|why| why.contains("the board ends there"))
    );
    assert_eq!(ask(1, 3, "left")["refused"], "there is nothing to do there");
}

#[test]
fn oversized_boards_are_refused() {
    let client = Client::start();
    let level = format!(
        "game: bombastic\n\n@$.{}\n",
        format!("\n{}", "-".repeat(1000)).repeat(1000)
    );
    let (status, answer) = client.ask("/api/board", &json!({ "level": level }));
    assert_eq!(status, 422);
    assert!(
        answer["error"]["message"]
            .as_str()
            .is_some_and(|why| why.contains("at most 10000 cells")),
        "{answer}"
    );
}

/// A board of 100 by 100 cells with thousands of blocks, of which one moves to and fro: the rules
/// look at the whole board after each move.
fn long_replay(moves: usize) -> (String, Vec<&'static str>) {
    let row = |row: usize| match row {
        0 | 99 => "#".repeat(100),
        1..40 => format!("#{}#", ".".repeat(98)),
        40 => format!("#D{}#", ".".repeat(97)),
        _ => {
            let blocks = (0..98).map(|col| ['A', 'B', 'C'][(row + col) % 3]);
            format!("#{}#", blocks.collect::<String>())
        }
    };
    let rows: Vec<String> = (0..100).map(row).collect();
    let level = format!("game: puzznic\n\n{}\n", rows.join("\n"));
    let moves = (0..moves).map(|index| ["41 2 right", "41 3 left"][index % 2]);
    (level, moves.collect())
}

/// Whether the other end has sent a byte or closed the connection.
fn has_answer(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).expect("a socket");
    stream.peek(&mut [0]).is_ok()
}

#[test]
fn long_replays_do_not_hold_up_other_visitors() {
    let client = Client::start();
    let (level, moves) = long_replay(20_000);
    let body = json!({ "level": level, "moves": moves });
    let replays: Vec<TcpStream> = (0..8)
        .map(|_| client.start_request("/api/board", &body))
        .collect();
    let page = client.send("GET /", &format!("Host: {}\r\n", client.host()), "");
    let board = client.ask("/api/board", &json!({ "level": LEVEL, "moves": [] }));
    assert_eq!((page.0, board.0), (200, 200));
    let ended = replays.iter().filter(|stream| has_answer(stream)).count();
    assert!(ended < 8, "the page came after all replays");
    // A request with more moves is refused.
    let (_, more) = long_replay(20_001);
    let (status, _) = client.ask("/api/board", &json!({ "level": level, "moves": more }));
    assert_eq!(status, 422);
}

/// Runs and pictures end when their connection is closed, also while they replay moves or draw: all
/// places are soon free again, long before the work would be done.
#[test]
fn every_phase_ends_when_its_connection_is_closed() {
    let client = Client::start();
    let (level, moves) = long_replay(20_000);
    let (_, film) = long_replay(400);
    for (path, body) in [
        (
            "/api/solve",
            json!({ "level": level, "moves": moves, "seconds": 200 }),
        ),
        (
            "/api/hint",
            json!({ "level": level, "moves": moves, "grade": 3 }),
        ),
        ("/api/intended", json!({ "level": level, "moves": moves })),
        (
            "/api/picture",
            json!({ "level": level, "moves": film, "kind": "gif" }),
        ),
    ] {
        let picture = json!({ "level": LEVEL, "kind": "svg" }).to_string();
        let ask = || client.send("POST /api/picture", &client.own_headers(), &picture);
        let started = Instant::now();
        let mut works = Vec::new();
        // A question takes a place itself for a moment, so another request may be refused; more
        // follow until all places are taken.
        while ask().0 != 503 {
            works.extend((0..4).map(|_| client.start_request(path, &body)));
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "{path}: no 503"
            );
        }
        drop(works);
        while ask().0 != 200 {
            std::thread::sleep(Duration::from_millis(20));
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "{path}: no 200"
            );
        }
    }
}

#[test]
fn requests_that_do_not_arrive_are_dropped() {
    let client = Client::start();
    let host = client.host();
    let body = "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
    for begun in [
        String::new(),
        format!("GET / HTTP/1.1\r\nHost: {host}\r\n"),
        format!("POST /api/board HTTP/1.1\r\nHost: {host}\r\n{body}"),
        format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(1 << 17)),
    ] {
        let mut stream = TcpStream::connect(host).expect("it listens");
        // The server may close the connection while it is still written to.
        let _ = stream.write_all(begun.as_bytes());
        let timeout = Some(Duration::from_secs(60));
        stream.set_read_timeout(timeout).expect("a timeout");
        let mut answer = Vec::new();
        let closed = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        let reset = |error: std::io::Error| error.kind() == std::io::ErrorKind::ConnectionReset;
        assert!(closed.map_or_else(reset, |_| true), "{answer}");
        assert!(!answer.contains("200 OK"), "{answer}");
    }
}
