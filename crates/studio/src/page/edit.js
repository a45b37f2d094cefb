// Paint a level. While you do, the badge says whether it can be solved, its par and its difficulty; the question is asked when
// the hand rests, and dropped when it is outdated. What you paint is kept at once, level or not.

import * as api from "./api.js";
import { Canvas } from "./canvas.js";
import { amount, button, drawing, h, panel, share, tell } from "./dom.js";
import { Intended } from "./intended.js";
import * as link from "./link.js";
import { maker } from "./maker.js";
import * as store from "./store.js";

const BOUND = 20; // seconds for the badge
const WAIT = 350; // milliseconds after the last stroke

export async function open(room, studio, leave) {
  const { games, levels } = await studio.gallery();
  let draft = store.draft() ?? { text: studio.level };
  let sheet = null, game, brush, asking, timer;
  const history = [], ahead = [];

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
    onchange: () => take(text.value),
  });
  const another = () => take(levels.find((level) => level.game === which.value).text);
  const which = h("select", { "data-field": "game", onchange: another }, games.map(({ name }) => h("option", {}, name)));
  const intended = new Intended({ keep: (moves) => keep({ ...draft, intended: moves }), measure: () => sheet?.measure });
  const make = maker({ game: () => game, size: () => [sheet.cells.length, sheet.cells[0].length], take });
  const other = button("other", "Edit the level in play instead", () => take(studio.level));
  other.hidden = !store.draft() || studio.level === draft.text;
  const size = (name, axis, by) => button(name, `${by > 0 ? "+" : "−"} ${axis}`, () => resize(axis, by));

  room.replaceChildren(h("h1", {}, "Edit"), h("div", { class: "split" },
    h("div", {},
      panel(null, badge, reasons),
      panel(null, palette, h("div", { class: "stage" }, canvas.svg),
        h("p", { class: "sub" }, "Choose a tile and paint; or move with the arrow keys and type the tile's sign."),
        h("div", { class: "bar" },
          size("row+", "row", 1), size("row-", "row", -1), size("column+", "column", 1), size("column-", "column", -1),
          button("undo", "Undo", () => back(history, ahead)), button("redo", "Redo", () => back(ahead, history)))),
      panel("Intended solution", intended.element)),
    h("div", {},
      h("div", { class: "bar" },
        button("play", "Play it", () => studio.go("play"), { kind: "main" }),
        button("share", "Copy link", async () => share(await link.address("play", { level: draft.text, moves: [] }))),
        other),
      panel("Level", h("div", { class: "form" }, h("label", {}, "game", which), h("label", {}, "title", title)), options),
      panel("A random level", make.element),
      h("details", { class: "panel", open: true }, h("summary", {}, "As text"), text))));
  leave(() => {
    clearTimeout(timer);
    asking?.abort();
    intended.leave();
    make.leave();
  });
  await take(draft.text);

  /** A whole new level, from a text in any format. */
  async function take(level) {
    try {
      const told = await api.ask("/api/level", { level });
      if (sheet) remember();
      become(told, told.text);
    } catch (error) {
      // A draft that is no level yet is still shown as it was left.
      if (!sheet && draft.cells) return become(draft, draft.text);
      tell(error.message);
      text.value = level;
      if (!sheet) await take(levels[0].text);
    }
  }

  function become(told, level) {
    sheet = { game: told.game, title: told.title, options: told.options, cells: told.cells };
    game = games.find(({ name }) => name === sheet.game);
    which.value = game.name;
    title.value = sheet.title ?? "";
    if (!game.tiles.some((tile) => tile.text === brush)) brush = game.tiles[0].text;
    palette.replaceChildren(...game.tiles.map(tool));
    showOptions();
    make.show(game);
    const looks = Object.fromEntries(game.tiles.map((tile) => [tile.text, tile.look]));
    canvas.show(sheet.cells.map((row) => [...row]), { ...looks, ...told.looks });
    keep({ ...sheet, text: level, intended: draft.intended });
    judge();
  }

  function tool(tile) {
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

  /** One field for each option; several values of one option stand side by side with commas. */
  function showOptions() {
    options.replaceChildren(...game.options.map((option) => {
      const values = sheet.options.filter(([key]) => key === option.key).map(([, value]) => value);
      const field = h("input", { value: values.join(", "), "data-option": option.key, oninput: () => change(sheet.cells) });
      return h("label", {}, option.key, field, h("small", {}, option.about));
    }));
  }

  function paint(y, x) {
    put(y, x, brush);
  }

  /** A tile whose text is _! changes the one that is there: it adds the sign, or takes it away. */
  function put(y, x, tile) {
    let cell = tile;
    if (tile.startsWith("_")) {
      const [old, sign] = [sheet.cells[y][x], tile.slice(1)];
      if (old.startsWith("#")) return;
      cell = old.endsWith(sign) ? old.slice(0, -sign.length) : old + sign;
    }
    if (sheet.cells[y][x] === cell) return;
    const cells = sheet.cells.map((row) => [...row]);
    cells[y][x] = cell;
    canvas.set(y, x, cell);
    change(cells);
  }

  /** A sign that was typed: the tile of that text, or the next one that begins with it. */
  function type(y, x, sign) {
    const fits = game.tiles.filter((tile) => tile.text.replace("_", "").startsWith(sign));
    if (!fits.length) return false;
    const at = fits.findIndex((tile) => tile.text === sheet.cells[y][x]);
    put(y, x, fits[(at + 1) % fits.length].text);
    return true;
  }

  function resize(axis, by) {
    const blank = game.tiles.find((tile) => /empty|ground|no piece/.test(tile.about)).text;
    const width = Math.max(...sheet.cells.map((row) => row.length));
    let cells;
    if (axis === "row") cells = by > 0 ? [...sheet.cells, Array(width).fill(blank)] : sheet.cells.slice(0, -1);
    else cells = sheet.cells.map((row) => (by > 0 ? [...row, blank] : row.slice(0, -1)));
    if (!cells.length || !cells[0].length) return;
    change(cells);
    canvas.show(cells.map((row) => [...row]), {});
  }

  /** New options or cells: the text follows. */
  function change(cells) {
    remember();
    const fields = [...options.querySelectorAll("[data-option]")];
    const split = (field) => field.value.split(",").map((value) => value.trim()).filter(Boolean);
    sheet = {
      ...sheet,
      cells,
      title: title.value.trim() || null,
      options: fields.flatMap((field) => split(field).map((value) => [field.dataset.option, value])),
    };
    keep({ ...draft, ...sheet, text: write(sheet) });
    judge();
  }

  function remember() {
    history.push(draft);
    ahead.length = 0;
  }

  function back(from, to) {
    if (!from.length) return;
    to.push(draft);
    const old = from.pop();
    become(old, old.text);
  }

  function keep(next) {
    draft = next;
    text.value = draft.text;
    store.keepDraft(draft);
  }

  function judge() {
    clearTimeout(timer);
    asking?.abort();
    badge.className = "badge";
    badge.textContent = "…";
    badge.dataset.badge = "waiting";
    timer = setTimeout(verdict, WAIT);
  }

  async function verdict() {
    const mine = (asking = new AbortController()), level = draft.text;
    const word = (state, kind, text) => {
      badge.dataset.badge = state;
      badge.className = `badge ${kind}`;
      badge.textContent = text;
    };
    try {
      const told = await api.ask("/api/level", { level }, mine.signal);
      canvas.show(sheet.cells.map((row) => [...row]), told.looks);
      studio.take(level);
      other.hidden = true;
      sheet.measure = told.measure;
      const rated = await api.stream("/api/rate", { level, seconds: BOUND }, (kind, news) => {
        if (kind === "progress") word("thinking", "", `thinking: at least ${news.at_least} ${told.measure}`);
      }, mine.signal);
      const { status, cost, measure, plan, at_least: bound } = rated.answer;
      if (status === "unsolvable") word(status, "bad", "✗ no plan exists");
      else if (status === "optimal") word(status, "good", `✓ solvable · par ${amount(cost, measure)} · ${rated.difficulty}`);
      else if (plan) word(status, "warn", `✓ solvable in ${cost}; at least ${bound} ${measure} (no proof in ${BOUND} s)`);
      else word(status, "warn", `? not known after ${BOUND} s; at least ${bound} ${measure}`);
      reasons.replaceChildren(...rated.reasons.map((reason) => h("li", {}, reason)));
      await intended.check(level, draft.intended);
    } catch (error) {
      if (mine.signal.aborted) return;
      word("error", "bad", error.message);
      reasons.replaceChildren();
      intended.show(draft.intended);
    }
  }
}

/** A level text. All cells of a board are equally wide. */
function write({ game, title, options, cells }) {
  const wide = Math.max(...cells.flat().map((cell) => cell.length));
  const rows = cells.map((row) => row.map((cell) => cell.padEnd(wide)).join("").trimEnd());
  const head = [`game: ${game}`, title ? `title: ${title}` : null, ...options.map(([key, value]) => `${key}: ${value}`)];
  return [...head.filter(Boolean), "", ...rows, ""].join("\n");
}
