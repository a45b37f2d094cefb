// The PDDL and Essence Prime models of the level, to read and to download for other tools.

import * as api from "./api.js";
import { button, download, h } from "./dom.js";

export async function open(screen, studio) {
  const { models, title, game } = await api.post("/api/models", { level: studio.level });
  const view = h("div");
  const tabs = h("div", { class: "bar", role: "group", "aria-label": "models" });
  const show = (model) => {
    studio.model = model.name;
    for (const tab of tabs.children) tab.setAttribute("aria-pressed", String(tab.dataset.model === model.name));
    view.replaceChildren(...(model.error ? [h("p", { class: "warn" }, model.error)] : model.files.flatMap(file)));
  };
  for (const model of models) {
    const tab = button("model", model.name, () => show(model));
    tab.dataset.model = model.name;
    tabs.append(tab);
  }
  screen.replaceChildren(
    h("h1", {}, title ?? game),
    h("p", { class: "sub" },
      "This level as PDDL and as Essence Prime, as the planners and the constraint solvers of the race read it. ",
      "Other tools can read it too."),
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

/** Highlights comments, keywords and numbers. */
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
