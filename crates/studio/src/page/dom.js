// Elements from names, attributes and children. Nothing here takes markup from a stranger: text stays text, and drawings come
// from our own server.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  const there = (child) => child !== null && child !== undefined && child !== false;
  element.append(...children.flat().filter(there));
  return element;
}

export const h = (name, attributes, ...children) =>
  fill(document.createElement(name), attributes, children);
export const s = (name, attributes, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children);

/** A button with a name for tests and scripts, and its key where it has one. */
export function button(name, text, act, { key, kind, label } = {}) {
  const attributes = { type: "button", "data-do": name, class: kind, "aria-label": label, title: label, onclick: act };
  if (key) attributes["aria-keyshortcuts"] = key;
  return h("button", attributes, text, key ? h("kbd", { "aria-hidden": "true" }, key) : null);
}

/** 1 shot, 2 shots. */
export const amount = (count, measure) => `${count} ${count === 1 ? measure.replace(/s$/, "") : measure}`;

/** A part of a room with a heading. */
export const panel = (title, ...children) =>
  h("section", { class: "panel" }, title ? h("h2", {}, title) : null, ...children);

const drawn = new Map();

/** A drawing that our own server made, as fresh elements. Each is read once and copied then. */
export function drawing(markup) {
  let nodes = drawn.get(markup);
  if (!nodes) {
    const text = markup.startsWith("<svg") ? markup : `<svg xmlns="${SVG}">${markup}</svg>`;
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    nodes = markup.startsWith("<svg") ? [parsed] : [...parsed.childNodes];
    if (drawn.size > 3000) drawn.clear();
    drawn.set(markup, nodes);
  }
  return nodes.map((node) => document.importNode(node, true));
}

let hush;

/** A sentence at the foot of the page, also for screen readers. */
export function tell(text) {
  const news = document.getElementById("news");
  news.textContent = text;
  clearTimeout(hush);
  hush = setTimeout(() => (news.textContent = ""), 7000);
}

/** Only for screen readers: what others see happen on the board. */
export function say(text) {
  document.getElementById("spoken").textContent = text;
}

export function download(name, data, type) {
  const blob = data instanceof Blob ? data : new Blob([data], { type });
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/** Copies a link; where the browser forbids that, it is shown to be copied by hand. */
export async function share(address) {
  try {
    await navigator.clipboard.writeText(address);
    tell("The link is copied: it carries the level and the moves");
  } catch {
    prompt("The link", address);
  }
}

/** Acts one after the other, whatever they wait for; what goes wrong is told. */
export function oneByOne() {
  let last = Promise.resolve();
  return (act) => (last = last.then(act).catch((error) => tell(error.message)));
}
