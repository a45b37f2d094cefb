// Paint a level. While you do, the badge says whether it can be solved, its par and its difficulty; an answer that is
// outdated is cancelled. A locked plan is watched: when an edit admits a shorter one, the two are shown where they part.

import * as api from "./api.js";
import { Board } from "./board.js";
import { h, tell } from "./dom.js";
import * as store from "./store.js";

const BOUND = 20; // seconds
const WAIT = 350; // milliseconds after the last stroke

export async function open(room, studio) {
  const { games, levels } = await studio.gallery();
  let draft = store.draft() ?? { text: studio.level ?? levels[0].text };
  let sheet, game, brush, asking, timer, painting = false, history = [], ahead = [];
  const badge = h("p", { class: "badge", "aria-live": "polite", "data-badge": "waiting" }), reasons = h("ul"), lockNews = h("div", { "aria-live": "polite" });
  const grid = h("div", { class: "paint", role: "grid", "aria-label": "cells; arrow keys move, Enter paints" }), palette = h("div", { class: "palette", role: "toolbar", "aria-label": "tiles" });
  const options = h("textarea", { rows: 3, "aria-label": "options, one a line", oninput: () => change(sheet.rows) });
  const optionHelp = h("ul", { class: "sub" });
  const text = h("textarea", { rows: 12, "aria-label": "the level as text", onchange: () => take(text.value) });
  const preview = h("div"), board = new Board(preview, { label: "preview" });
  const size = (name, by) => h("button", { onclick: () => resize(name, by) }, `${by > 0 ? "+" : "−"} ${name}`);
  const which = h("select", { "aria-label": "game", onchange: () => take(levels.find((level) => level.game === which.value).text) }, ...games.map((game) => h("option", {}, game.name)));
  const lock = h("button", { onclick: toggleLock, "data-do": "lock" }, "Lock a best plan as intended");
  const maker = { seed: h("input", { type: "number", value: 1, min: 0, "aria-label": "seed" }), low: h("input", { type: "number", min: 0, "aria-label": "least par", placeholder: "par from" }), high: h("input", { type: "number", min: 0, "aria-label": "greatest par", placeholder: "to" }), knobs: h("div", { class: "bar" }) };

  room.replaceChildren(h("h1", {}, "Edit"), h("div", { class: "split" },
    h("div", {}, h("div", { class: "panel" }, badge, reasons, lockNews),
      h("div", { class: "panel" }, palette, grid, h("div", { class: "bar" }, size("row", 1), size("row", -1), size("column", 1), size("column", -1), h("button", { onclick: () => back(history, ahead), "data-do": "undo" }, "Undo"), h("button", { onclick: () => back(ahead, history) }, "Redo"))),
      h("div", { class: "panel" }, h("b", {}, "Options"), options, optionHelp)),
    h("div", {}, preview,
      h("div", { class: "bar" }, h("button", { class: "main", onclick: () => studio.play(draft.text), "data-do": "play" }, "Play it"), lock),
      h("div", { class: "panel" }, h("b", {}, "A random level"), h("div", { class: "bar" }, which, maker.seed, maker.low, maker.high), maker.knobs, h("div", { class: "bar" }, h("button", { onclick: generate, "data-do": "generate" }, "Make one"))),
      h("details", { class: "panel" }, h("summary", {}, "As text"), text))));
  const lift = () => (painting = false);
  addEventListener("pointerup", lift);
  studio.leave = () => { clearTimeout(timer); asking?.abort(); removeEventListener("pointerup", lift); };
  await take(draft.text);

  /** A whole new text. */
  async function take(level) {
    try {
      const told = await api.ask("/api/level", { level });
      if (sheet) { history.push(draft.text); ahead = []; }
      await become(level, told);
    } catch (error) { tell(error.message); text.value = level; }
  }

  async function become(level, told) {
    sheet = told;
    game = games.find((game) => game.name === sheet.game);
    which.value = game.name;
    keep(level);
    brush = game.tiles.some((tile) => tile.text === brush) ? brush : game.tiles[0].text;
    palette.replaceChildren(...game.tiles.map((tile) => h("button", { "aria-pressed": String(tile.text === brush), title: tile.about, "aria-label": `${tile.about} ${tile.text}`, "data-tile": tile.text, onclick: (event) => {
      brush = tile.text;
      for (const other of palette.children) other.setAttribute("aria-pressed", String(other === event.currentTarget));
    } }, tile.text)));
    optionHelp.replaceChildren(...game.options.map((option) => h("li", {}, h("code", {}, option.key), ` ${option.about}`)));
    options.value = sheet.options.map(([key, value]) => `${key}: ${value}`).join("\n");
    maker.knobs.replaceChildren(...game.knobs.map((knob) => h("label", { title: knob.about }, knob.name, h("input", { type: "number", min: 0, value: knob.default, "data-knob": knob.name }))));
    drawGrid();
    judge();
  }

  /** The texts of a row's cells; in Pipe Mania a cell is two characters wide. */
  function cells(row) {
    const wide = game.tiles[0].text.length;
    return Array.from({ length: Math.ceil(row.length / wide) }, (_, at) => row.slice(at * wide, (at + 1) * wide));
  }

  function drawGrid() {
    const table = sheet.rows.map(cells), columns = Math.max(...table.map((row) => row.length));
    grid.style.gridTemplateColumns = `repeat(${columns}, minmax(30px, 44px))`;
    grid.replaceChildren(...table.flatMap((row, y) => row.map((cell, x) => h("button", {
      "data-cell": `${y},${x}`, "aria-label": `row ${y + 1} column ${x + 1}: ${cell}`, tabindex: y || x ? -1 : 0,
      onpointerdown: (event) => { event.target.releasePointerCapture?.(event.pointerId); painting = true; paint(y, x); },
      onpointerenter: () => painting && paint(y, x),
      onkeydown: (event) => walk(event, y, x),
    }, cell))));
  }

  function walk(event, y, x) {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step) { event.preventDefault(); grid.querySelector(`[data-cell="${y + step[0]},${x + step[1]}"]`)?.focus(); }
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); paint(y, x); grid.querySelector(`[data-cell="${y},${x}"]`)?.focus(); }
  }

  function paint(y, x) {
    const row = cells(sheet.rows[y]);
    if (row[x] === brush) return;
    row[x] = brush;
    change(sheet.rows.map((old, at) => (at === y ? row.join("") : old)));
    const button = grid.querySelector(`[data-cell="${y},${x}"]`);
    button.textContent = brush;
    button.setAttribute("aria-label", `row ${y + 1} column ${x + 1}: ${brush}`);
  }

  function resize(name, by) {
    const blank = game.tiles.find((tile) => /empty|ground|no piece/.test(tile.about)).text;
    const table = sheet.rows.map(cells), columns = Math.max(...table.map((row) => row.length));
    const next = name === "row"
      ? by > 0 ? [...table, Array(columns).fill(blank)] : table.slice(0, -1)
      : table.map((row) => (by > 0 ? [...row, blank] : row.slice(0, -1)));
    if (!next.length || !next[0].length) return;
    change(next.map((row) => row.join("")));
    drawGrid();
  }

  /** New options or rows; the text follows, and the judge is asked when the hand rests. */
  function change(newRows) {
    history.push(draft.text);
    ahead = [];
    const lines = options.value.split("\n").filter((line) => line.trim());
    sheet = { ...sheet, rows: newRows };
    const title = sheet.title ? [`title: ${sheet.title}`] : [];
    keep([`game: ${game.name}`, ...title, ...lines, "", ...newRows, ""].join("\n"));
    judge();
  }

  async function back(from, to) {
    if (!from.length) return;
    to.push(draft.text);
    const level = from.pop();
    try { await become(level, await api.ask("/api/level", { level })); } catch (error) { tell(error.message); keep(level); }
  }

  function keep(level) {
    draft = { ...draft, text: level };
    text.value = level;
    store.keepDraft(draft);
    studio.level = level;
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
    try {
      const told = await api.ask("/api/board", { level }, mine.signal);
      board.show(told.view);
      const rated = await api.stream("/api/rate", { level, seconds: BOUND }, (kind, news) => {
        if (kind === "progress") badge.textContent = `thinking: at least ${news.at_least} ${told.measure}`;
      }, mine.signal);
      const answer = rated.answer;
      badge.dataset.badge = answer.status;
      if (answer.status === "unsolvable") { badge.className = "badge bad"; badge.textContent = "no plan exists"; }
      else if (answer.status === "optimal") { badge.className = "badge good"; badge.textContent = `solvable, par ${answer.cost} ${answer.measure}, ${rated.difficulty}`; }
      else if (answer.plan) { badge.className = "badge warn"; badge.textContent = `solvable in ${answer.cost}; at least ${answer.at_least} (${BOUND} s were not enough for the proof)`; }
      else { badge.className = "badge warn"; badge.textContent = `not known after ${BOUND} s: at least ${answer.at_least} ${answer.measure}`; }
      reasons.replaceChildren(...rated.reasons.map((reason) => h("li", { class: "sub" }, reason)));
      await checkLock(level, mine.signal);
    } catch (error) {
      if (mine.signal.aborted) return;
      badge.className = "badge bad"; badge.textContent = error.message; badge.dataset.badge = "error";
      reasons.replaceChildren();
    }
  }

  async function toggleLock() {
    if (draft.intended) { draft = { ...draft, intended: null }; store.keepDraft(draft); lock.textContent = "Lock a best plan as intended"; return lockNews.replaceChildren(); }
    try {
      const answer = await api.stream("/api/solve", { level: draft.text, moves: [], seconds: BOUND });
      if (!answer.plan) return tell("There is no plan to lock");
      draft = { ...draft, intended: answer.plan };
      store.keepDraft(draft);
      await checkLock(draft.text);
    } catch (error) { tell(error.message); }
  }

  async function checkLock(level, signal) {
    lock.textContent = draft.intended ? "Unlock the intended plan" : "Lock a best plan as intended";
    if (!draft.intended) return lockNews.replaceChildren();
    const told = await api.ask("/api/intended", { level, moves: draft.intended }, signal);
    if (told.verdict === "best") return lockNews.replaceChildren(h("p", { class: "good", "data-lock": "best" }, `The intended plan of ${told.cost} is still best.`));
    if (told.verdict === "rejected") return lockNews.replaceChildren(h("p", { class: "bad", "data-lock": "rejected" }, `The intended plan no longer works: ${told.message}`));
    if (told.verdict === "open") return lockNews.replaceChildren(h("p", { class: "warn", "data-lock": "open" }, `The intended plan costs ${told.cost}; whether there is a shorter one is not known.`));
    const where = h("div");
    lockNews.replaceChildren(h("p", { class: "bad", "data-lock": "shortcut" }, `A shortcut: ${told.best} instead of ${told.cost}. After ${told.common} moves the two part: intended ${told.intended ?? "—"}, better ${told.better.join(", ")}.`), where);
    new Board(where, { label: "where the plans part" }).show(told.view);
  }

  async function generate() {
    const knobs = [...maker.knobs.querySelectorAll("[data-knob]")].map((input) => [input.dataset.knob, Number(input.value)]);
    const table = sheet.rows.map(cells);
    const [low, high] = [maker.low.value, maker.high.value];
    tell("Looking for a level …");
    try {
      const par = low || high ? [Number(low || 0), Number(high || 4294967295)] : null;
      const inset = game.name === "puzznic" ? 2 : 0;
      const told = await api.stream("/api/new", { game: game.name, rows: Math.max(1, table.length - inset), cols: Math.max(1, table[0].length - inset), knobs, seed: Number(maker.seed.value), par },
        (kind, news) => kind === "progress" && tell(`Looking for a level: try ${news.depth}`));
      maker.seed.value = told.seed + 1;
      tell(`Found with seed ${told.seed}`);
      await take(told.level);
    } catch (error) { tell(error.message); }
  }
}
