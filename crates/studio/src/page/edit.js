// The level editor. The badge shows whether the level can be solved, its par and its difficulty. It
// is updated a moment after the last change, and an outdated request is aborted. Changes are saved
// at once, also if they are not a level.

import * as api from "./api.js";
import { Canvas } from "./canvas.js";
import { amount, button, drawing, h, notify, panel, share } from "./dom.js";
import { Intended } from "./intended.js";
import * as link from "./link.js";
import { generator } from "./generator.js";
import * as store from "./store.js";

const TIME = 20; // seconds for the badge
const DELAY = 350; // milliseconds between the last change and the request

export async function open(screen, studio, onLeave) {
  const { games, levels } = await studio.gallery();
  let draft = store.draft() ?? { text: studio.level };
  let sheet = null, game, brush, request, timer;
  const past = [], future = [];

  const badge = h("p", { class: "badge", role: "status", "data-badge": "waiting" });
  const reasons = h("ul", { class: "sub" });
  const palette = h("div", { class: "palette", role: "toolbar", "aria-label": "tiles" });
  const canvas = new Canvas({ paint, type });
  const title = h("input", { "data-field": "title", oninput: () => change(sheet.cells) });
  const options = h("div", { class: "form" });
  const text = h("textarea", {
    rows: 14,
    "aria-label": "the level as text",
    "data-field": "text",
    spellcheck: "false",
    onchange: () => load(text.value),
  });
  const loadFirst = () => load(levels.find((level) => level.game === which.value).text);
  const which = h("select", { "data-field": "game", onchange: loadFirst }, games.map(({ name }) => h("option", {}, name)));
  const intended = new Intended({ save: (moves) => save({ ...draft, intended: moves }), measure: () => sheet?.measure });
  const random = generator({ game: () => game, size: () => [sheet.cells.length, sheet.cells[0].length], level: () => draft.text, load });
  const other = button("other", "Edit the level in play instead", () => load(studio.level));
  other.hidden = !store.draft() || studio.level === draft.text;
  const size = (name, axis, by) => button(name, `${by > 0 ? "+" : "−"} ${axis}`, () => resize(axis, by));

  screen.replaceChildren(h("h1", {}, "Edit"), h("div", { class: "split" },
    h("div", {},
      panel(null, badge, reasons),
      panel(null, palette, h("div", { class: "stage" }, canvas.svg),
        h("p", { class: "sub" }, "Choose a tile and paint; or move with the arrow keys and type the tile's symbol."),
        h("div", { class: "bar" },
          size("row+", "row", 1), size("row-", "row", -1), size("column+", "column", 1), size("column-", "column", -1),
          button("undo", "Undo", () => restore(past, future)), button("redo", "Redo", () => restore(future, past)))),
      panel("Intended plan", intended.element)),
    h("div", {},
      h("div", { class: "bar" },
        button("play", "Play it", () => studio.go("play"), { kind: "main" }),
        button("share", "Copy link", async () => share(await link.address("play", { level: draft.text, moves: [] }))),
        other),
      panel("Level", h("div", { class: "form" }, h("label", {}, "game", which), h("label", {}, "title", title)), options),
      panel("A random level", random.element),
      h("details", { class: "panel", open: true }, h("summary", {}, "As text"), text))));
  onLeave(() => {
    clearTimeout(timer);
    request?.abort();
    intended.close();
    random.close();
  });
  await load(draft.text);

  /** Loads a level from a text in any format. */
  async function load(level) {
    try {
      const answer = await api.post("/api/level", { level });
      if (sheet) remember();
      show(answer, answer.text);
    } catch (error) {
      // A saved draft that is not a level is shown as it is.
      if (!sheet && draft.cells) return show(draft, draft.text);
      notify(error.message);
      text.value = level;
      if (!sheet) await load(levels[0].text);
    }
  }

  function show(answer, level) {
    const { tiles, empty_cell } = answer; // of a level with symbols of its own
    sheet = { game: answer.game, title: answer.title, options: answer.options, cells: answer.cells, tiles, empty_cell };
    game = games.find(({ name }) => name === sheet.game);
    if (tiles) game = { ...game, tiles, empty_cell };
    which.value = game.name;
    title.value = sheet.title ?? "";
    if (!game.tiles.some((tile) => tile.text === brush)) brush = game.tiles[0].text;
    palette.replaceChildren(...game.tiles.map(tileButton));
    showOptions();
    random.show(game);
    const looks = Object.fromEntries(game.tiles.map((tile) => [tile.text, tile.look]));
    canvas.show(sheet.cells.map((row) => [...row]), { ...looks, ...answer.looks });
    save({ ...sheet, text: level, intended: draft.intended });
    scheduleRating();
  }

  function tileButton(tile) {
    const face = tile.look ? drawing(tile.look) : [];
    for (const picture of face) picture.setAttribute("aria-hidden", "true");
    const choose = (event) => {
      brush = tile.text;
      for (const other of palette.children) other.setAttribute("aria-pressed", String(other === event.currentTarget));
    };
    const name = `${tile.about}: ${tile.text}`;
    return h("button", {
      type: "button",
      title: name,
      "aria-label": name,
      "aria-pressed": String(tile.text === brush),
      "data-tile": tile.text,
      onclick: choose,
    }, face, h("span", { "aria-hidden": "true" }, tile.text));
  }

  /** One field for each option; several values are separated by commas, or are lines of their own. */
  function showOptions() {
    options.replaceChildren(...game.options.map((option) => {
      const values = sheet.options.filter(([key]) => key === option.key).map(([, value]) => value);
      const typed = { "data-option": option.key, oninput: () => change(sheet.cells) };
      const lines = h("textarea", { ...typed, rows: Math.min(values.length + 1, 12), spellcheck: "false" });
      lines.value = values.join("\n");
      const field = option.lines ? lines : h("input", { ...typed, value: values.join(", ") });
      return h("label", {}, option.key, field, h("small", {}, option.about));
    }));
  }

  function paint(y, x) {
    put(y, x, brush);
  }

  /**
   * Puts a tile into a cell. A tile such as _! is a suffix, which is added to the cell's text or
   * removed from it.
   */
  function put(y, x, tile) {
    let cell = tile;
    if (tile.startsWith("_")) {
      const [old, suffix] = [sheet.cells[y][x], tile.slice(1)];
      if (old === game.empty_cell) return;
      cell = old.endsWith(suffix) ? old.slice(0, -suffix.length) : old + suffix;
    }
    if (sheet.cells[y][x] === cell) return;
    const cells = sheet.cells.map((row) => [...row]);
    cells[y][x] = cell;
    canvas.set(y, x, cell);
    change(cells);
  }

  /** A typed character: puts the tile with that text, or the next one that begins with it. */
  function type(y, x, character) {
    const fits = game.tiles.filter((tile) => tile.text.replace("_", "").startsWith(character));
    if (!fits.length) return false;
    const at = fits.findIndex((tile) => tile.text === sheet.cells[y][x]);
    put(y, x, fits[(at + 1) % fits.length].text);
    return true;
  }

  function resize(axis, by) {
    const empty = game.empty_cell;
    const width = Math.max(...sheet.cells.map((row) => row.length));
    let cells;
    if (axis === "row") cells = by > 0 ? [...sheet.cells, Array(width).fill(empty)] : sheet.cells.slice(0, -1);
    else cells = sheet.cells.map((row) => (by > 0 ? [...row, empty] : row.slice(0, -1)));
    if (!cells.length || !cells[0].length) return;
    change(cells);
    canvas.show(cells.map((row) => [...row]), {});
  }

  /** Makes these cells and the values of the fields the new draft. */
  function change(cells) {
    remember();
    const fields = [...options.querySelectorAll("[data-option]")];
    const isLines = (key) => game.options.some((option) => option.key === key && option.lines);
    const split = (field) => {
      if (!isLines(field.dataset.option)) return field.value.split(",").map((value) => value.trim()).filter(Boolean);
      return field.value ? field.value.split("\n").map((value) => value.trim()) : [];
    };
    sheet = {
      ...sheet,
      cells,
      title: title.value.trim() || null,
      options: fields.flatMap((field) => split(field).map((value) => [field.dataset.option, value])),
    };
    save({ ...draft, ...sheet, text: write(sheet) });
    scheduleRating();
  }

  function remember() {
    past.push(draft);
    future.length = 0;
  }

  /** Undo and redo: restores the last draft of one list and adds the present one to the other. */
  function restore(from, to) {
    if (!from.length) return;
    to.push(draft);
    const old = from.pop();
    show(old, old.text);
  }

  function save(next) {
    draft = next;
    text.value = draft.text;
    store.saveDraft(draft);
  }

  function scheduleRating() {
    clearTimeout(timer);
    request?.abort();
    badge.className = "badge";
    badge.textContent = "…";
    badge.dataset.badge = "waiting";
    timer = setTimeout(rate, DELAY);
  }

  async function rate() {
    const mine = (request = new AbortController()), level = draft.text;
    const setBadge = (state, kind, text) => {
      badge.dataset.badge = state;
      badge.className = `badge ${kind}`;
      badge.textContent = text;
    };
    try {
      const answer = await api.post("/api/level", { level }, mine.signal);
      canvas.show(sheet.cells.map((row) => [...row]), answer.looks);
      studio.setLevel(level);
      other.hidden = true;
      sheet.measure = answer.measure;
      const rated = await api.stream("/api/rate", { level, seconds: TIME }, (kind, progress) => {
        if (kind === "progress") setBadge("thinking", "", `solving: at least ${progress.at_least} ${answer.measure}`);
      }, mine.signal);
      const { status, cost, measure, plan, at_least: bound } = rated.answer;
      if (status === "unsolvable") setBadge(status, "bad", "✗ no plan exists");
      else if (status === "optimal") setBadge(status, "good", `✓ solvable · par ${amount(cost, measure)} · ${rated.difficulty}`);
      else if (plan) setBadge(status, "warn", `✓ solvable in ${cost}; at least ${bound} ${measure} (no proof in ${TIME} s)`);
      else setBadge(status, "warn", `? not known after ${TIME} s; at least ${bound} ${measure}`);
      reasons.replaceChildren(...rated.reasons.map((reason) => h("li", {}, reason)));
      await intended.check(level, draft.intended);
    } catch (error) {
      if (mine.signal.aborted) return;
      setBadge("error", "bad", error.message);
      reasons.replaceChildren();
      intended.show(draft.intended);
    }
  }
}

/** The text of a level. All cells of a board are equally wide. */
function write({ game, title, options, cells }) {
  const width = Math.max(...cells.flat().map((cell) => cell.length));
  const rows = cells.map((row) => row.map((cell) => cell.padEnd(width)).join("").trimEnd());
  const head = [`game: ${game}`, title ? `title: ${title}` : null, ...options.map(([key, value]) => `${key}: ${value}`)];
  return [...head.filter(Boolean), "", ...rows, ""].join("\n");
}
