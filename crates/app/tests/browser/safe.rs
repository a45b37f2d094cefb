//! Safe: what a foreign page, a foreign name, too much and junk come to in a real browser.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

use serde_json::Value;

use crate::page::text;
use crate::studio::{address, enter, play, visitor, walk};

/// A page of somebody else on this machine, that serves an empty document for as long as the tests run.
fn stranger() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(&stream).lines();
            while lines
                .next()
                .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
            {}
            let page = "<!doctype html><title>stranger</title>";
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length";
            let _ = write!(&stream, "{head}: {}\r\n\r\n{page}", page.len());
        }
    });
    format!("http://{at}")
}

#[test]
fn a_foreign_page_cannot_drive_the_studio() {
    let Some(mut page) = visitor() else { return };
    // The browser says on the console what it forbids; that is the point here.
    page.forgive("blocked by CORS policy");
    page.forgive("status of 403");
    page.forgive("status of 415");
    page.forgive("net::ERR_");
    page.forgive("frame-ancestors");
    page.forgive("frame because");
    page.open(&format!("{}/", stranger()));
    page.until("document.title === 'stranger'");
    let studio = address();
    // A request as a page sends it without asking anybody: it arrives, and is refused.
    for kind in ["text/plain", "application/x-www-form-urlencoded"] {
        page.see(&format!(
            "fetch('{studio}/api/solve', {{ method: 'POST', mode: 'no-cors', headers: {{ 'content-type': '{kind}' }}, body: '{{}}' }}).then(() => 0, () => 0)"
        ));
    }
    // One with our own content type has to ask first, and gets no permission.
    let told = page.see(&format!(
        "fetch('{studio}/api/board', {{ method: 'POST', headers: {{ 'content-type': 'application/json' }}, body: '{{}}' }}).then(() => 'answered', () => 'refused')"
    ));
    assert_eq!(told, "refused");
    let told = page.see(&format!(
        "fetch('{studio}/api/levels').then(() => 'answered', () => 'refused')"
    ));
    assert_eq!(told, "refused");
    let refused = page.heard("Network.responseReceived");
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
    // It gets into no frame and lends no script.
    page.see(&format!(
        "new Promise((done) => {{ const frame = document.createElement('iframe'); frame.src = '{studio}/'; frame.onload = done; document.body.append(frame); }})"
    ));
    assert_eq!(page.see("(() => { try { return document.querySelector('iframe').contentDocument?.title ?? 'closed'; } catch { return 'closed'; } })()"), "closed");
    let told = page.see(&format!(
        "new Promise((done) => {{ const script = document.createElement('script'); script.src = '{studio}/page/dom.js'; \
         script.onload = () => done('loaded'); script.onerror = () => done('refused'); document.body.append(script); }})"
    ));
    assert_eq!(told, "refused");
}

#[test]
fn a_foreign_name_for_this_machine_is_refused() {
    // The browser was told that evil.example is here: as with a name server that lies.
    let Some(mut page) = visitor() else { return };
    page.forgive("status of 403");
    page.forgive("Cross-Origin-Opener-Policy");
    let port = address().rsplit(':').next().expect("a port");
    page.open(&format!("http://evil.example:{port}/"));
    page.until("document.body?.innerText.includes('this server answers only under its own address') === true");
}

#[test]
fn too_much_and_junk_get_a_sentence() {
    let Some(mut page) = enter("gallery") else {
        return;
    };
    page.forgive("the server responded with a status of 4");
    let send = |body: &str, path: &str| {
        page.see(&format!(
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
        let told = send(body, path);
        assert_eq!(told[0], status, "{path} {told}");
        assert!(told[1].as_str().is_some_and(|why| why.len() > 10), "{told}");
    }
}

#[test]
fn a_title_is_text_and_never_markup() {
    let hostile = "game: bombastic\ntitle: <img src=x onerror=\"window.harmed=1\"><script>window.harmed=1</script>\n\n@$.\n";
    let Some(page) = play(hostile) else { return };
    page.until_text("h1", "<img src=x onerror=");
    for room in ["watch", "race", "models", "edit"] {
        walk(&page, room);
    }
    assert_eq!(page.see("[window.harmed ?? 'unharmed', document.querySelectorAll('main img, main script').length].join()"), "unharmed,0");
}
