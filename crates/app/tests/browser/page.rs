//! A page in a profile of its own: what a person does to it, and what can be seen on it.
//!
//! Nothing here sleeps for a fixed time and hopes: `until` looks at the page again and again, up to a deadline that only a
//! broken page meets. When a page is closed, it must not have complained: no error on its console, no promise that broke, nothing
//! that its content security policy had to forbid.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::devtools::{Browser, Heard};

const DEADLINE: Duration = Duration::from_secs(60);

pub struct Page {
    browser: &'static Browser,
    context: String,
    session: String,
    heard: Heard,
    /// What is allowed to go wrong, by a part of its message.
    forgiven: Vec<&'static str>,
}

impl Page {
    /// A fresh profile with one empty page, as wide as a laptop's.
    pub fn new(browser: &'static Browser) -> Page {
        let ask = |method: &str, params: Value| {
            let told = browser.ask(None, method, params);
            told.unwrap_or_else(|bad| panic!("{bad}"))
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
        let heard = browser.listen_to(&session);
        let page = Page {
            browser,
            context,
            session,
            heard,
            forgiven: Vec::new(),
        };
        for domain in ["Page", "Runtime", "Log", "Network"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        // Tests share the browser, but each page believes that it is looked at.
        page.call(
            "Emulation.setFocusEmulationEnabled",
            json!({ "enabled": true }),
        );
        page.size(1100, 820);
        page
    }

    pub fn call(&self, method: &str, params: Value) -> Value {
        let told = self.browser.ask(Some(&self.session), method, params);
        told.unwrap_or_else(|bad| panic!("{bad}"))
    }

    /// Complaints with this in them are part of the test.
    pub fn forgive(&mut self, part: &'static str) {
        self.forgiven.push(part);
    }

    pub fn size(&self, width: u32, height: u32) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 }),
        );
    }

    /// What the page hears of its reader's wishes: `prefers-color-scheme`, `prefers-reduced-motion`.
    pub fn prefer(&self, feature: &str, value: &str) {
        let features = json!([{ "name": feature, "value": value }]);
        self.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
    }

    pub fn open(&self, address: &str) {
        let told = self.call("Page.navigate", json!({ "url": address }));
        assert!(told["errorText"].is_null(), "{address}: {told}");
    }

    pub fn reload(&self) {
        // Old and new page would look alike: the old one is marked.
        self.see("window.beforeReload = true");
        self.call("Page.reload", json!({}));
        self.until("!window.beforeReload && document.readyState === 'complete'");
    }

    /// What an expression comes to on the page; promises are waited for.
    #[track_caller]
    pub fn see(&self, expression: &str) -> Value {
        self.look(expression)
            .unwrap_or_else(|bad| panic!("{expression}\n{bad}"))
    }

    fn look(&self, expression: &str) -> Result<Value, String> {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true });
        let told = self
            .browser
            .ask(Some(&self.session), "Runtime.evaluate", params)?;
        match told.get("exceptionDetails") {
            Some(thrown) => Err(thrown["exception"]["description"].to_string()),
            None => Ok(told["result"]["value"].clone()),
        }
    }

    /// Waits until an expression is true. The page may be on its way to another address meanwhile.
    #[track_caller]
    pub fn until(&self, expression: &str) {
        let begun = Instant::now();
        let mut last = Ok(Value::Null);
        while begun.elapsed() < DEADLINE {
            last = self.look(expression);
            if last == Ok(true.into()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let shown = self.look("document.body.innerText.slice(0, 3000)");
        let complaints = self.complaints();
        panic!(
            "never true: {expression}\nat last: {last:?}\ncomplaints: {complaints:?}\nthe page: {shown:?}"
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
        let told = self.see(&format!("document.querySelector({selector:?}).textContent"));
        text(&told)
    }

    /// Clicks the middle of an element with a real pointer, as soon as it is there and has stopped moving.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        self.until(&format!(
            "(async () => {{ const element = document.querySelector({selector:?}); if (!element) return false; \
             element.scrollIntoView({{ block: 'center', behavior: 'instant' }}); \
             const where = () => {{ const box = element.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }}; \
             const before = where(); for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame); \
             window.middle = where(); const hit = document.elementFromPoint(...window.middle); \
             return element.isConnected && `${{before}}` === `${{window.middle}}` && (element.contains(hit) || (!!hit?.ownerSVGElement && hit.ownerSVGElement === element.ownerSVGElement)); }})()"
        ));
        let middle = self.see("window.middle");
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

    /// Puts text into a field, as if it was pasted there.
    #[track_caller]
    pub fn fill(&self, selector: &str, text: &str) {
        self.until(&format!("!!document.querySelector({selector:?})"));
        self.see(&format!(
            "(() => {{ const field = document.querySelector({selector:?}); field.focus(); field.select?.(); }})()"
        ));
        self.call("Input.insertText", json!({ "text": text }));
        self.see(&format!(
            "document.querySelector({selector:?}).dispatchEvent(new Event('change', {{ bubbles: true }}))"
        ));
    }

    /// Everything of one kind that the page said so far: `Network.responseReceived`.
    pub fn heard(&self, method: &str) -> Vec<Value> {
        let heard = self.heard.lock().expect("not poisoned");
        heard
            .iter()
            .filter(|message| message["method"] == method)
            .map(|message| message["params"].clone())
            .collect()
    }

    /// Errors on the console, exceptions, and what the browser logged as an error; a refused request is also one.
    fn complaints(&self) -> Vec<String> {
        let heard = self.heard.lock().expect("not poisoned");
        let complaints = heard.iter().filter_map(|message| {
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
        complaints
            .filter(|text| !self.forgiven.iter().any(|part| text.contains(part)))
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
            let complaints = self.complaints();
            assert!(
                complaints.is_empty(),
                "the page complained: {complaints:#?}"
            );
        }
    }
}

pub fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("no text: {value}"))
        .to_string()
}
