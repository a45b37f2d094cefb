// Light or dark colours: the system's setting, unless the user chooses.

import * as store from "./store.js";

const NEXT = { system: "light", light: "dark", dark: "system" };
const SIGN = { system: "◐", light: "☀", dark: "☾" };

export function open(button) {
  let theme = store.setting("theme", "system");
  const show = () => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = SIGN[theme];
    button.setAttribute("aria-label", `colours: ${theme}; change to ${NEXT[theme]}`);
    button.title = `Colours: ${theme}`;
  };
  button.addEventListener("click", () => {
    theme = NEXT[theme] ?? "system";
    store.saveSetting("theme", theme);
    show();
  });
  show();
}
