// All levels with their pictures; a click plays one. Other levels can be pasted, in any format that
// ploy reads.

import * as api from "./api.js";
import { amount, button, h, notify, panel } from "./dom.js";
import * as store from "./store.js";

export async function open(screen, studio, onLeave) {
  const { levels, games } = await studio.gallery();
  levels.forEach((level, number) => (level.number = number));
  const best = store.best();
  const shelves = h("div", { class: "shelves" });
  // Pictures are loaded when they are near the window. The browser's own lazy loading begins much
  // earlier, and seventy pictures at once keep it busy.
  const nearby = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      target.src = target.dataset.src;
      nearby.unobserve(target);
    }
  }, { rootMargin: "300px" });
  onLeave(() => nearby.disconnect());
  const filters = h("div", { class: "bar", role: "group", "aria-label": "which levels" });
  const kinds = [
    { name: "all", text: "all games", test: () => true },
    { name: "given", text: "your files", test: (level) => level.given },
    ...games.map(({ name }) => ({ name, text: name, test: (level) => level.game === name && !level.given })),
  ].filter((kind) => levels.some(kind.test));

  function list(chosen) {
    studio.filter = chosen;
    nearby.disconnect();
    for (const item of filters.children) item.setAttribute("aria-pressed", String(item.dataset.filter === chosen));
    const shown = kinds.filter(({ name }) => (chosen === "all" ? name !== "all" : name === chosen));
    shelves.replaceChildren(...shown.flatMap(({ text, test }) => shelf(text, levels.filter(test))));
  }

  function shelf(name, shown) {
    const solved = shown.filter((level) => level.text in best).length;
    const count = h("small", {}, solved ? ` ${solved} of ${shown.length} solved` : ` ${amount(shown.length, "levels")}`);
    return [h("h2", {}, name, count), h("ul", { class: "cards" }, shown.map(card))];
  }

  function card(level) {
    const done = best[level.text];
    const mark = done !== undefined && h("span", { class: "solved" }, level.par && done <= level.par ? "★ par" : `✓ ${done}`);
    const words = [level.difficulty, parOf(level)].filter(Boolean).join(" · ");
    const picture = h("img", { "data-src": `/api/thumbnail/${level.number}`, alt: "", width: 150, height: 120 });
    if (level.picture) picture.src = `data:image/svg+xml,${encodeURIComponent(level.picture)}`;
    else nearby.observe(picture);
    const act = () => {
      studio.setLevel(level.text);
      studio.go("play");
    };
    const face = [picture, h("b", {}, level.title ?? level.name), h("small", {}, words), mark];
    return h("li", {}, h("button", { class: "card", type: "button", "data-level": level.name, onclick: act }, face));
  }

  const pasted = h("textarea", {
    rows: 6,
    "data-field": "paste",
    "aria-label": "a level in any format",
    placeholder: games[0].lessons[0]?.level,
    spellcheck: "false",
  });
  const file = h("input", { type: "file", "data-field": "file", "aria-label": "a file with a level or a game" });
  file.addEventListener("change", async () => {
    if (!file.files[0]) return;
    pasted.value = await file.files[0].text();
    await paste();
  });
  const opened = h("div", { class: "shelves" });
  /** One level is played at once; those of a game are listed. */
  const paste = async () => {
    try {
      const { levels } = await api.post("/api/open", { text: pasted.value });
      if (levels.length > 1) return opened.replaceChildren(...shelf("levels of this game", levels));
      studio.setLevel((await api.post("/api/level", { level: levels[0].text })).text);
      studio.go("play");
    } catch (error) {
      notify(error.message);
    }
  };

  filters.append(...kinds.map((kind) => {
    const item = button("filter", kind.text, () => list(kind.name));
    item.dataset.filter = kind.name;
    return item;
  }));
  list(kinds.some(({ name }) => name === studio.filter) ? studio.filter : "all");
  screen.replaceChildren(
    h("h1", {}, "Levels"),
    h("p", { class: "sub" },
      "Pick one to play, with mouse, touch or keyboard. New here? ",
      h("a", { href: "#learn" }, "Learn the rules"), "."),
    filters,
    shelves,
    panel("A level of your own",
      h("p", { class: "sub" },
        "Paste a level text, a level in one of the other formats, or a PuzzleScript game; or choose a file."),
      h("details", {}, h("summary", {}, "Other formats"), h("ul", { class: "sub" }, games.flatMap(formatsOf))),
      pasted,
      h("div", { class: "bar" }, button("open", "Open it", paste, { kind: "main" }), file),
      opened),
  );
}

function formatsOf(game) {
  return game.formats.map(({ name, about }) => h("li", {}, h("b", {}, `${game.name} ${name}`), `: ${about}`));
}

/** The par of a level in words. */
export function parOf({ par, measure, certificate }) {
  const certified = certificate ? ", certified" : "";
  if (par === "unsolvable") return `no plan exists${certified}`;
  return par ? `par ${amount(par, measure)}${certified}` : "par not known";
}

/** The claim about a level and the hash of the certificate that proves it, for links; null if it has
 * none. */
export function proofOf({ par, measure, certificate }) {
  if (!certificate) return null;
  return { claim: par === "unsolvable" ? par : amount(par, measure), sha256: certificate };
}
