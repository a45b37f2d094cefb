// The level in the other languages, to read and to download for other tools.

import * as api from "./api.js";
import { button, download, h } from "./dom.js";

export async function open(room, studio) {
  const { models, title, game } = await api.ask("/api/models", { level: studio.level });
  const view = h("div");
  const tabs = h("div", { class: "bar", role: "group", "aria-label": "models" });
  const show = (model) => {
    studio.model = model.name;
    for (const tab of tabs.children) tab.setAttribute("aria-pressed", String(tab.dataset.model === model.name));
    view.replaceChildren(...(model.unfit ? [h("p", { class: "warn" }, model.unfit)] : model.files.flatMap(file)));
  };
  for (const model of models) {
    const tab = button("model", model.name, () => show(model));
    tab.dataset.model = model.name;
    tabs.append(tab);
  }
  room.replaceChildren(
    h("h1", {}, title ?? game),
    h("p", { class: "sub" },
      "This level as PDDL and as Essence Prime: what the planners and the constraint solvers of the race read, ",
      "and what any other tool can."),
    tabs, view);
  if (models.length) show(models.find((model) => model.name === studio.model) ?? models[0]);
}

function file({ name, text }) {
  const save = button("download", "Download", () => download(name, text, "text/plain"), { label: `download ${name}` });
  const lines = h("pre", { tabindex: "0", "aria-label": name }, highlight(text, name));
  return [h("div", { class: "bar" }, h("h2", {}, name), save), lines];
}

const PDDL = "define|domain|problem|and|or|not|when|forall|exists|imply|either|increase|minimize|object";
const ESSENCE =
  "language|given|letting|find|where|such|that|forAll|exists|sum|min|max|matrix|indexed|by|of|be|domain|int|bool|" +
  "minimising|maximising|allDiff|table|atleast|gcc|true|false|flatten|toInt";

/** Comments, words of the language, numbers. */
function highlight(text, name) {
  const pddl = name.endsWith(".pddl");
  const words = pddl
    ? new RegExp(`(;[^\\n]*)|((?<=\\()(?:${PDDL})(?=[\\s)])|:[a-z-]+)|(\\?[\\w-]+|(?<![\\w-])\\d+(?![\\w-]))`, "g")
    : new RegExp(`(\\$[^\\n]*)|(\\b(?:${ESSENCE})\\b)|(\\b\\d+\\b)`, "g");
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(words)) {
    parts.push(text.slice(end, match.index));
    parts.push(h("span", { class: match[1] ? "cm" : match[2] ? "kw" : "nm" }, match[0]));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}
