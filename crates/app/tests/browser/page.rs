//! A page in a profile of its own: input to it, and what it shows.
//!
//! Nothing here sleeps for a fixed time: `until` looks at the page again and again, up to a
//! deadline that only a broken page reaches. When a page is closed, it must not have had errors:
//! none on its console, no rejected promise, nothing that its content security policy forbade.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::devtools::{Browser, Messages};

const DEADLINE: Duration = Duration::from_secs(60);

pub struct Page {
    browser: &'static Browser,
    context: String,
    session: String,
    messages: Messages,
    /// Parts of the messages of errors that the test expects.
    allowed_errors: Vec<&'static str>,
}

impl Page {
    /// A fresh profile with one empty page, as wide as a laptop's.
    pub fn new(browser: &'static Browser) -> Page {
        let ask = |method: &str, params: Value| {
            let answer = browser.ask(None, method, params);
            answer.unwrap_or_else(|bad| panic!("{bad}"))
        };
        let context = ask(
            "Target.createBrowserContext",
            json!({ "disposeOnDetach": true }),
        );
        let context = text(&context["browserContextId"]);
        let target = ask(
            "Target.createTarget",
            json!({ "url": "about:blank", "browserContextId": context, "newWindow": true, "width": 1100, "height": 820 }),
        );
        let attached = ask(
            "Target.attachToTarget",
            json!({ "targetId": target["targetId"], "flatten": true }),
        );
        let session = text(&attached["sessionId"]);
        let messages = browser.listen_to(&session);
        let page = Page {
            browser,
            context,
            session,
            messages,
            allowed_errors: Vec::new(),
        };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        // Tests share the browser, but each page behaves as if it had the focus.
        page.call(
            "Emulation.setFocusEmulationEnabled",
            json!({ "enabled": true }),
        );
        page.size(1100, 820);
        page
    }

    pub fn call(&self, method: &str, params: Value) -> Value {
        let answer = self.browser.ask(Some(&self.session), method, params);
        answer.unwrap_or_else(|bad| panic!("{bad}"))
    }

    /// Errors with this part in their message do not fail the test.
    pub fn allow_error(&mut self, part: &'static str) {
        self.allowed_errors.push(part);
    }

    pub fn size(&self, width: u32, height: u32) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 }),
        );
    }

    /// Sets a preference of the user that the page can query: `prefers-color-scheme`,
    /// `prefers-reduced-motion`.
    pub fn prefer(&self, feature: &str, value: &str) {
        let features = json!([{ "name": feature, "value": value }]);
        self.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
    }

    pub fn open(&self, address: &str) {
        let answer = self.call("Page.navigate", json!({ "url": address }));
        assert!(answer["errorText"].is_null(), "{address}: {answer}");
    }

    pub fn reload(&self) {
        // A mark on the old page distinguishes it from the new one.
        self.evaluate("window.beforeReload = true");
        self.call("Page.reload", json!({}));
        self.until("!window.beforeReload && document.readyState === 'complete'");
    }

    /// The value of an expression on the page; promises are awaited.
    #[track_caller]
    pub fn evaluate(&self, expression: &str) -> Value {
        self.try_evaluate(expression)
            .unwrap_or_else(|bad| panic!("{expression}\n{bad}"))
    }

    fn try_evaluate(&self, expression: &str) -> Result<Value, String> {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true });
        let answer = self
            .browser
            .ask(Some(&self.session), "Runtime.evaluate", params)?;
        match answer.get("exceptionDetails") {
            Some(thrown) => Err(thrown["exception"]["description"].to_string()),
            None => Ok(answer["result"]["value"].clone()),
        }
    }

    /// Waits until an expression is true. The page may load another address meanwhile.
    #[track_caller]
    pub fn until(&self, expression: &str) {
        let begun = Instant::now();
        let mut last = Ok(Value::Null);
        while begun.elapsed() < DEADLINE {
            last = self.try_evaluate(expression);
            if last == Ok(true.into()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let shown = self.try_evaluate("document.body.innerText.slice(0, 3000)");
        let errors = self.errors();
        panic!(
            "never true: {expression}\nat last: {last:?}\nerrors: {errors:?}\nthe page: {shown:?}"
        );
    }

    /// Waits for an element with this text in it.
    #[track_caller]
    pub fn until_text(&self, selector: &str, part: &str) {
        self.until(&format!(
            "(document.querySelector({selector:?})?.textContent ?? '').includes({part:?})"
        ));
    }

    #[track_caller]
    pub fn text(&self, selector: &str) -> String {
        let answer = self.evaluate(&format!("document.querySelector({selector:?}).textContent"));
        text(&answer)
    }

    /// Clicks the middle of an element with a real pointer, as soon as it is there and has stopped
    /// moving: for two frames, or a second if the browser draws none.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        self.until(&format!(
            "(async () => {{ const element = document.querySelector({selector:?}); if (!element) return false; \
             element.scrollIntoView({{ block: 'center', behavior: 'instant' }}); \
             const where = () => {{ const box = element.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }}; \
             const before = where(); const second = new Promise(later => setTimeout(later, 1000)); \
             for (let frame = 0; frame < 2; frame++) await Promise.race([new Promise(requestAnimationFrame), second]); \
             window.middle = where(); const hit = document.elementFromPoint(...window.middle); \
             return element.isConnected && `${{before}}` === `${{window.middle}}` && (element.contains(hit) || (!!hit?.ownerSVGElement && hit.ownerSVGElement === element.ownerSVGElement)); }})()"
        ));
        let middle = self.evaluate("window.middle");
        self.pointer("mouseMoved", &middle);
        self.pointer("mousePressed", &middle);
        self.pointer("mouseReleased", &middle);
    }

    pub fn pointer(&self, kind: &str, at: &Value) {
        let held = u8::from(kind != "mouseReleased");
        self.call(
            "Input.dispatchMouseEvent",
            json!({ "type": kind, "x": at[0], "y": at[1], "button": "left", "buttons": held, "clickCount": 1 }),
        );
    }

    /// Presses and releases a key: `ArrowUp`, `Enter`, `u`.
    pub fn press(&self, key: &str) {
        let code = match key {
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Enter" => 13,
            "Tab" => 9,
            "Escape" => 27,
            " " => 32,
            "Home" => 36,
            "End" => 35,
            _ => key.to_ascii_uppercase().bytes().next().map_or(0, u32::from),
        };
        let mut down = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": code });
        if key.chars().count() == 1 {
            down["text"] = key.into();
        } else if key == "Enter" {
            down["text"] = "\r".into();
        }
        self.call("Input.dispatchKeyEvent", down);
        self.call(
            "Input.dispatchKeyEvent",
            json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code }),
        );
    }

    /// Puts text into a field, as if it were pasted there.
    #[track_caller]
    pub fn fill(&self, selector: &str, text: &str) {
        self.until(&format!("!!document.querySelector({selector:?})"));
        self.evaluate(&format!(
            "(() => {{ const field = document.querySelector({selector:?}); field.focus(); field.select?.(); }})()"
        ));
        self.call("Input.insertText", json!({ "text": text }));
        self.evaluate(&format!(
            "document.querySelector({selector:?}).dispatchEvent(new Event('change', {{ bubbles: true }}))"
        ));
    }

    /// The messages of one kind so far: `Network.responseReceived`.
    pub fn messages(&self, method: &str) -> Vec<Value> {
        let messages = self.messages.lock().expect("not poisoned");
        messages
            .iter()
            .filter(|message| message["method"] == method)
            .map(|message| message["params"].clone())
            .collect()
    }

    /// Errors on the console, exceptions, and errors in the browser's log, among them refused
    /// requests.
    fn errors(&self) -> Vec<String> {
        let messages = self.messages.lock().expect("not poisoned");
        let errors = messages.iter().filter_map(|message| {
            let params = &message["params"];
            match message["method"].as_str()? {
                "Runtime.exceptionThrown" => Some(params["exceptionDetails"].to_string()),
                "Runtime.consoleAPICalled"
                    if ["error", "warning", "assert"].contains(&params["type"].as_str()?) =>
                {
                    Some(params["args"].to_string())
                }
                "Log.entryAdded"
                    if ["error", "warning"].contains(&params["entry"]["level"].as_str()?) =>
                {
                    Some(params["entry"].to_string())
                }
                _ => None,
            }
        });
        errors
            .filter(|text| !self.allowed_errors.iter().any(|part| text.contains(part)))
            .collect()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let gone = self.browser.ask(
            None,
            "Target.disposeBrowserContext",
            json!({ "browserContextId": self.context }),
        );
        if !std::thread::panicking() {
            assert_eq!(gone.err(), None);
            let errors = self.errors();
            assert!(errors.is_empty(), "the page had errors: {errors:#?}");
        }
    }
}

/// A JSON value that must be a string.
pub fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("no text: {value}"))
        .to_string()
}
