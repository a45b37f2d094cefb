//! Security: requests of foreign pages, foreign host names, large and invalid requests.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

use serde_json::Value;

use crate::page::text;
use crate::studio::{address, click_screen, new_page, page_at, play};

/// Starts another server on this machine, which serves an empty page while the tests run.
fn start_foreign_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(&stream).lines();
            while lines
                .next()
                .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
            {}
            let page = "<!doctype html><title>foreign</title>";
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length";
            let _ = write!(&stream, "{head}: {}\r\n\r\n{page}", page.len());
        }
    });
    format!("http://{at}")
}

#[test]
fn a_foreign_page_cannot_drive_the_studio() {
    let Some(mut page) = new_page() else { return };
    // The browser logs what it forbids; these errors are expected.
    page.allow_error("blocked by CORS policy");
    page.allow_error("status of 403");
    page.allow_error("status of 415");
    page.allow_error("net::ERR_");
    page.allow_error("frame-ancestors");
    page.allow_error("frame because");
    page.open(&format!("{}/", start_foreign_server()));
    page.until("document.title === 'foreign'");
    let studio = address();
    // A request that needs no preflight request arrives, and is refused.
    for kind in ["text/plain", "application/x-www-form-urlencoded"] {
        page.evaluate(&format!(
            "fetch('{studio}/api/solve', {{ method: 'POST', mode: 'no-cors', headers: {{ 'content-type': '{kind}' }}, body: '{{}}' }}).then(() => 0, () => 0)"
        ));
    }
    // A request with our content type needs a preflight request, which is refused.
    let answer = page.evaluate(&format!(
        "fetch('{studio}/api/board', {{ method: 'POST', headers: {{ 'content-type': 'application/json' }}, body: '{{}}' }}).then(() => 'answered', () => 'refused')"
    ));
    assert_eq!(answer, "refused");
    let answer = page.evaluate(&format!(
        "fetch('{studio}/api/levels').then(() => 'answered', () => 'refused')"
    ));
    assert_eq!(answer, "refused");
    let refused = page.messages("Network.responseReceived");
    let refused: Vec<&Value> = refused
        .iter()
        .filter(|answer| text(&answer["response"]["url"]).contains("/api/"))
        .collect();
    assert!(
        refused
            .iter()
            .all(|answer| answer["response"]["status"] == 403),
        "{refused:#?}"
    );
    // The studio cannot be put into a frame, and its scripts cannot be loaded.
    page.evaluate(&format!(
        "new Promise((done) => {{ const frame = document.createElement('iframe'); frame.src = '{studio}/'; frame.onload = done; document.body.append(frame); }})"
    ));
    assert_eq!(page.evaluate("(() => { try { return document.querySelector('iframe').contentDocument?.title ?? 'closed'; } catch { return 'closed'; } })()"), "closed");
    let answer = page.evaluate(&format!(
        "new Promise((done) => {{ const script = document.createElement('script'); script.src = '{studio}/page/dom.js'; \
         script.onload = () => done('loaded'); script.onerror = () => done('refused'); document.body.append(script); }})"
    ));
    assert_eq!(answer, "refused");
}

#[test]
fn a_foreign_host_name_is_refused() {
    // The browser resolves evil.example to this machine, as with DNS rebinding.
    let Some(mut page) = new_page() else { return };
    page.allow_error("status of 403");
    page.allow_error("Cross-Origin-Opener-Policy");
    let port = address().rsplit(':').next().expect("a port");
    page.open(&format!("http://evil.example:{port}/"));
    page.until("document.body?.innerText.includes('this server answers only under its own address') === true");
}

#[test]
fn large_and_invalid_requests_get_a_message() {
    let Some(mut page) = page_at("gallery") else {
        return;
    };
    page.allow_error("the server responded with a status of 4");
    let send = |body: &str, path: &str| {
        page.evaluate(&format!(
            "fetch('{path}', {{ method: 'POST', headers: {{ 'content-type': 'application/json' }}, body: {body} }}) \
             .then(async (answer) => [answer.status, (await answer.json()).error.message])"
        ))
    };
    for (body, path, status) in [
        ("'x'.repeat(5 << 20)", "/api/board", 413),
        ("'{'", "/api/board", 400),
        ("'[7]'", "/api/solve", 400),
        (
            "JSON.stringify({ level: 'game: chess\\n\\nK\\n' })",
            "/api/rate",
            422,
        ),
        (
            "JSON.stringify({ level: 'game: plotting\\ngoal: 1\\n\\nRR\\n', moves: Array(30000).fill('row 1') })",
            "/api/board",
            422,
        ),
        (
            "JSON.stringify({ level: 'game: plotting\\ngoal: 1\\n\\nRR\\n', kind: '../../etc/passwd' })",
            "/api/picture",
            400,
        ),
        ("'{}'", "/api/levels", 405),
        ("'{}'", "/etc/passwd", 404),
    ] {
        let answer = send(body, path);
        assert_eq!(answer[0], status, "{path} {answer}");
        assert!(
            answer[1].as_str().is_some_and(|message| message.len() > 10),
            "{answer}"
        );
    }
}

#[test]
fn a_title_is_text_and_never_markup() {
    let hostile = "game: bombastic\ntitle: <img src=x onerror=\"window.harmed=1\"><script>window.harmed=1</script>\n\n@$.\n";
    let Some(page) = play(hostile) else { return };
    page.until_text("h1", "<img src=x onerror=");
    for screen in ["watch", "race", "models", "edit"] {
        click_screen(&page, screen);
    }
    assert_eq!(page.evaluate("[window.harmed ?? 'unharmed', document.querySelectorAll('main img, main script').length].join()"), "unharmed,0");
}
