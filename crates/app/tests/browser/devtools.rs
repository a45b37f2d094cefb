//! A Chromium that is controlled by its DevTools protocol through a pair of pipes.
//!
//! With `--remote-debugging-pipe` it reads messages from file descriptor 3 and writes them to 4,
//! JSON with a zero byte after each. A shell puts our pipes there, so no socket, no WebSocket and
//! no driver is needed. When this process ends, also by a panic, the pipes close: the browser
//! quits, and the shell removes its profile.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use serde_json::{Value, json};

/// How long an answer of the browser may take, also on a slow machine.
const TIMEOUT: Duration = Duration::from_secs(90);

/// The messages of a session's page, such as events of the console and the network.
pub type Messages = Arc<Mutex<Vec<Value>>>;

pub struct Browser {
    /// Ends by itself when its pipes close.
    _child: Child,
    to: Mutex<ChildStdin>,
    waiting: Mutex<HashMap<u64, Sender<Value>>>,
    listening: Mutex<HashMap<String, Messages>>,
    last_id: AtomicU64,
}

/// The browser of all tests; `None` if none is installed and `PLOY_BROWSER` does not require one.
pub fn browser() -> Option<&'static Browser> {
    static BROWSER: OnceLock<Option<&'static Browser>> = OnceLock::new();
    *BROWSER.get_or_init(|| {
        let required = std::env::var("PLOY_BROWSER").is_ok_and(|value| value == "required");
        let Some(program) = find() else {
            assert!(
                !required,
                "PLOY_BROWSER=required, but there is no chromium: run 'scripts/setup browser'"
            );
            return None;
        };
        Some(Browser::start(&program))
    })
}

fn find() -> Option<String> {
    ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| {
            let mut version = Command::new(name);
            version
                .arg("--version")
                .stdin(Stdio::null())
                .stderr(Stdio::null());
            version.output().is_ok_and(|ran| ran.status.success())
        })
        .map(str::to_string)
}

const FLAGS: &[&str] = &[
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    // Several tests share the browser, and none of their pages may be treated as in the background.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    // As if a foreign name server resolved a name of its own to this machine.
    "--host-resolver-rules=MAP evil.example 127.0.0.1",
];

impl Browser {
    fn start(program: &str) -> &'static Self {
        let profile = tempfile::tempdir()
            .expect("a folder for the profile")
            .keep();
        let script =
            r#"profile=$1; shift; "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1; rm -rf "$profile""#;
        let mut child = Command::new("sh")
            .args(["-c", script, "browser"])
            .arg(&profile)
            .arg(program)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        let to = child.stdin.take().expect("its input");
        let from = child.stdout.take().expect("its output");
        let browser: &'static Self = Box::leak(Box::new(Self {
            _child: child,
            to: Mutex::new(to),
            waiting: Mutex::default(),
            listening: Mutex::default(),
            last_id: AtomicU64::new(0),
        }));
        std::thread::spawn(move || browser.listen(from));
        browser
    }

    fn listen(&self, from: ChildStdout) {
        for message in BufReader::new(from).split(0) {
            let Ok(message) = message else { break };
            let message: Value = serde_json::from_slice(&message).expect("the browser speaks JSON");
            if let Some(id) = message["id"].as_u64() {
                let answer = self.waiting.lock().expect("not poisoned").remove(&id);
                answer.map(|answer| answer.send(message));
            } else if let Some(session) = message["sessionId"].as_str() {
                let listening = self.listening.lock().expect("not poisoned");
                if let Some(messages) = listening.get(session) {
                    messages.lock().expect("not poisoned").push(message);
                }
            }
        }
        // The browser is gone: dropping the senders ends all waits for an answer.
        self.waiting.lock().expect("not poisoned").clear();
    }

    /// Calls a method of the browser, or of a session's page; `Err` is the error message.
    pub fn ask(&self, session: Option<&str>, method: &str, params: Value) -> Result<Value, String> {
        let id = self.last_id.fetch_add(1, Relaxed) + 1;
        let (send, receive) = channel();
        self.waiting.lock().expect("not poisoned").insert(id, send);
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        let sent = self.to.lock().expect("not poisoned").write_all(&bytes);
        sent.map_err(|error| format!("{method}: the browser is gone: {error}"))?;
        let answer = receive
            .recv_timeout(TIMEOUT)
            .map_err(|_| format!("{method}: the browser does not answer"))?;
        match answer.get("error") {
            Some(error) => Err(format!("{method}: {error}")),
            None => Ok(answer["result"].clone()),
        }
    }

    /// Collects the messages of a session's page from now on.
    pub fn listen_to(&self, session: &str) -> Messages {
        let messages = Messages::default();
        let mut listening = self.listening.lock().expect("not poisoned");
        listening.insert(session.to_string(), messages.clone());
        messages
    }
}
