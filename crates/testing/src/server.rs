//! Starts `ploy serve` on a free port, for tests that talk to the server.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::program;

/// A running server, killed when dropped.
pub struct Server {
    /// The process that was started: the server itself, or the shell of [`Server::until_exit`].
    pub child: Child,
    /// `http://127.0.0.1:PORT`
    pub address: String,
}

impl Server {
    /// Starts a server as a child of this process.
    pub fn start() -> Server {
        Server::spawn(program::command().stdin(Stdio::null()))
    }

    /// Starts a server for a `static`, which is never dropped. A shell waits beside the server for
    /// the end of this process and then kills the server, also after a panic.
    pub fn until_exit() -> Server {
        let script = r#""$@" </dev/null & read -r nothing; kill $!"#;
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "server"]).arg(program::path());
        Server::spawn(shell.stdin(Stdio::piped()))
    }

    /// Appends the arguments of the server to the command, starts it, and reads the address, which
    /// is the first line that the server prints.
    fn spawn(command: &mut Command) -> Server {
        let mut child = command
            .args(["serve", "--port", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let out = child.stdout.take().expect("standard output is a pipe");
        let mut line = String::new();
        BufReader::new(out)
            .read_line(&mut line)
            .expect("the server prints its address");
        let address = line.trim().trim_end_matches('/').to_string();
        Server { child, address }
    }

    /// The address without its scheme: `127.0.0.1:PORT`.
    pub fn host(&self) -> &str {
        let host = self.address.strip_prefix("http://");
        host.expect("the address is an http address")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
