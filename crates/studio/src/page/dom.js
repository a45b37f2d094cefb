// Helpers to make elements, and messages to the user. Text is never parsed as markup; only the
// drawings of our own server are.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  const present = (child) => child !== null && child !== undefined && child !== false;
  element.append(...children.flat().filter(present));
  return element;
}

/** An HTML element. Attributes that begin with `on` are event listeners. */
export const h = (name, attributes, ...children) =>
  fill(document.createElement(name), attributes, children);
/** An SVG element. */
export const s = (name, attributes, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children);

/** A button with a name for tests, and with its keyboard shortcut if it has one. */
export function button(name, text, act, { key, kind, label } = {}) {
  const attributes = { type: "button", "data-do": name, class: kind, "aria-label": label, title: label, onclick: act };
  if (key) attributes["aria-keyshortcuts"] = key;
  return h("button", attributes, text, key ? h("kbd", { "aria-hidden": "true" }, key) : null);
}

/** 1 shot, 2 shots. */
export const amount = (count, measure) =>
  `${count} ${count === 1 && !measure.includes("+") ? measure.replace(/s$/, "") : measure}`;

/** A part of a screen, with a heading unless `title` is null. */
export const panel = (title, ...children) =>
  h("section", { class: "panel" }, title ? h("h2", {}, title) : null, ...children);

const parsedDrawings = new Map();

/** A drawing of our own server as new elements. Each drawing is parsed once and then copied. */
export function drawing(markup) {
  let nodes = parsedDrawings.get(markup);
  if (!nodes) {
    const text = markup.startsWith("<svg") ? markup : `<svg xmlns="${SVG}">${markup}</svg>`;
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    nodes = markup.startsWith("<svg") ? [parsed] : [...parsed.childNodes];
    if (parsedDrawings.size > 3000) parsedDrawings.clear();
    parsedDrawings.set(markup, nodes);
  }
  return nodes.map((node) => document.importNode(node, true));
}

let toastTimer;

/** Shows a message at the foot of the page for a few seconds, also to screen readers. */
export function notify(text) {
  const toast = document.getElementById("toast");
  toast.textContent = text;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (toast.textContent = ""), 7000);
}

/** A message for screen readers only: what happened on the board. */
export function announce(text) {
  document.getElementById("spoken").textContent = text;
}

/** Saves text or a Blob as a file. */
export function download(name, data, type) {
  const blob = data instanceof Blob ? data : new Blob([data], { type });
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Copies a link; if the browser forbids that, shows it. */
export async function share(address) {
  try {
    await navigator.clipboard.writeText(address);
    notify("The link is copied; it contains the level and the moves");
  } catch {
    prompt("The link", address);
  }
}

/** Runs asynchronous actions one after the other, and shows their errors. */
export function sequence() {
  let last = Promise.resolve();
  return (act) => (last = last.then(act).catch((error) => notify(error.message)));
}
