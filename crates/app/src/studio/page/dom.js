// Elements from names, attributes and children; nothing here ever takes markup from a stranger.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const h = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
export const s = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

/** A drawing that our own server made, as elements. */
export function drawing(markup) {
  const text = `<svg xmlns="${SVG}">${markup}</svg>`;
  return [...new DOMParser().parseFromString(text, "image/svg+xml").documentElement.childNodes].map((node) => document.importNode(node, true));
}

let hush;
/** A sentence at the foot of the page, also for screen readers. */
export function tell(text) {
  const news = document.getElementById("news");
  news.textContent = text;
  clearTimeout(hush);
  hush = setTimeout(() => (news.textContent = ""), 6000);
}

export function download(name, data, type) {
  const address = URL.createObjectURL(data instanceof Blob ? data : new Blob([data], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
