// The room where a level is played: undo and redo without end, hints in three grades, warnings of dead ends.

import * as api from "./api.js";
import { Board } from "./board.js";
import { h, tell } from "./dom.js";
import * as link from "./link.js";
import * as store from "./store.js";

export async function open(room, studio) {
  if (!studio.level) return studio.go("gallery");
  const game = store.game(studio.level);
  if (studio.linked) { game.moves = studio.linked; game.undone = []; studio.linked = null; }
  let position, busy = false, watchdog;
  const heading = h("h1"), sub = h("p", { class: "sub" }), score = h("p"), state = h("p", { class: "badge", "aria-live": "polite" });
  const list = h("ol", { class: "moves", "aria-label": "moves so far" });
  const button = (name, text, key, act, kind) => h("button", { onclick: act, title: `key ${key}`, "data-do": name, class: kind }, text, " ", h("kbd", {}, key));
  const undo = button("undo", "Undo", "u", () => travel(-1)), redo = button("redo", "Redo", "r", () => travel(1));
  const left = h("div");
  const board = new Board(left, { onMove: attempt, label: "the board; arrow keys choose, Enter takes hold" });
  board.onRefused = (key, side) => refuse(key, side);
  const warnings = h("select", { "aria-label": "dead-end warnings", onchange: () => { store.keepSetting("warnings", warnings.value); warn(); } },
    h("option", { value: "off" }, "off"), h("option", { value: "request" }, "on request"), h("option", { value: "once" }, "at once"));
  warnings.value = store.setting("warnings", "request");

  room.replaceChildren(heading, sub, h("div", { class: "split" }, left, h("div", {},
    h("div", { class: "panel" }, score, state,
      h("div", { class: "bar" }, undo, redo, button("restart", "Restart", "0", restart)),
      h("div", { class: "bar" }, button("hint1", "Still solvable?", "1", () => hint(1)), button("hint2", "Which piece?", "2", () => hint(2)), button("hint3", "Which move?", "3", () => hint(3))),
      h("label", {}, "Warn of dead ends ", warnings)),
    h("div", { class: "panel" }, h("b", {}, "Moves"), list),
    h("div", { class: "panel bar" },
      h("button", { onclick: share, "data-do": "share" }, "Copy link"), h("button", { onclick: solve, "data-do": "solve", class: "main" }, "Show a best plan"),
      h("button", { onclick: () => { studio.plan = game.moves; studio.go("watch"); } }, "Watch my moves"),
      h("button", { onclick: edit }, "Edit from here")),
    h("p", { class: "sub" }, "Keys: arrows choose, ", h("kbd", {}, "Enter"), " takes hold, arrows then move; ", h("kbd", {}, "u"), " undo, ", h("kbd", {}, "r"), " redo, ", h("kbd", {}, "0"), " restart, ", h("kbd", {}, "1"), "–", h("kbd", {}, "3"), " hints."))));
  const keys = (event) => {
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = { u: () => travel(-1), r: () => travel(1), 0: restart, 1: () => hint(1), 2: () => hint(2), 3: () => hint(3) }[event.key];
    if (act) { event.preventDefault(); act(); }
  };
  document.addEventListener("keydown", keys);
  studio.leave = () => { document.removeEventListener("keydown", keys); watchdog?.abort(); };
  await show();
  board.svg.focus({ preventScroll: true });

  function describe(told) {
    position = told;
    heading.textContent = told.title ?? told.game;
    sub.textContent = [told.game, told.variant].filter(Boolean).join(" · ");
    const par = told.par === "unsolvable" ? "no plan exists" : told.par ? `par is ${told.par}` : "par is not known";
    score.textContent = `${told.cost} ${told.measure}; ${par}`;
    if (told.over) {
      state.className = "badge good";
      state.textContent = told.par && told.cost <= told.par ? "Solved at par!" : "Solved!";
    } else {
      state.className = "badge";
      state.textContent = told.legal.length ? "" : `No move is left: ${told.shortfall}`;
    }
    undo.disabled = !game.moves.length;
    redo.disabled = !game.undone.length;
    list.replaceChildren(...game.moves.map((move) => h("li", {}, move)));
    list.scrollTop = list.scrollHeight;
    store.keepGame(game);
    studio.moves = game.moves;
    studio.remember("play", game.moves);
    warn();
  }

  async function show() {
    try {
      const told = await api.ask("/api/board", { level: game.level, moves: game.moves });
      board.show(told.view, told.legal);
      describe(told);
    } catch (error) {
      tell(error.message);
      if (game.moves.length) { game.moves = []; game.undone = []; await show(); }
    }
  }

  async function attempt(move) {
    if (busy) return;
    busy = true;
    try {
      const told = await api.ask("/api/board", { level: game.level, moves: game.moves, try: move });
      if (told.refused) return tell(`Refused: ${told.refused}`);
      game.moves = [...game.moves, told.move];
      game.undone = [];
      const film = board.play(told.film, told.legal);
      describe(told);
      await film;
      if (told.over) tell(state.textContent);
    } catch (error) { tell(error.message); } finally { busy = false; }
  }

  /** Nothing legal that way: the referee says why, where there is a move to ask about. */
  async function refuse(key, side) {
    const [row, col] = key.split(",");
    for (const text of [`${row} ${col} ${side}`, side]) {
      try {
        const told = await api.ask("/api/board", { level: game.level, moves: game.moves, try: text });
        if (told.refused) return tell(`Refused: ${told.refused}`);
      } catch { /* this game writes moves differently */ }
    }
    tell("That way there is no move");
  }

  async function travel(steps) {
    if (busy) return;
    if (steps < 0 && game.moves.length) { game.undone = [game.moves.at(-1), ...game.undone]; game.moves = game.moves.slice(0, -1); }
    else if (steps > 0 && game.undone.length) { game.moves = [...game.moves, game.undone[0]]; game.undone = game.undone.slice(1); }
    await show();
  }

  async function restart() {
    game.undone = [...game.moves, ...game.undone];
    game.moves = [];
    await show();
  }

  async function hint(grade) {
    tell("Thinking …");
    try {
      const told = await api.ask("/api/hint", { level: game.level, moves: game.moves, grade });
      const words = { done: "This is the goal.", lost: "No plan leads on from here: take a move back.", unknown: "The time ran out before it was clear." };
      if (told.hint !== "solvable") return tell(words[told.hint]);
      if (told.row !== undefined) board.mark(told);
      tell(`It can still be done in ${told.left} ${position.measure}` + (told.move ? `: ${told.move}` : told.row !== undefined ? "; look at the glowing cell" : ""));
    } catch (error) { tell(error.message); }
  }

  /** At once: asks after every move, and forgets the answer when it is outdated. */
  async function warn() {
    watchdog?.abort();
    if (warnings.value !== "once" || position.over) return;
    watchdog = new AbortController();
    try {
      const told = await api.ask("/api/hint", { level: game.level, moves: game.moves, grade: 1 }, watchdog.signal);
      if (told.hint === "lost") { state.className = "badge bad"; state.textContent = "Dead end: take a move back"; }
    } catch { /* outdated */ }
  }

  async function share() {
    const address = await link.address("play", game);
    try { await navigator.clipboard.writeText(address); tell("The link is copied: it holds the level and your moves"); } catch { prompt("The link", address); }
  }

  async function solve() {
    tell("Solving …");
    try {
      const answer = await api.stream("/api/solve", { level: game.level, moves: game.moves, seconds: 30 }, (kind, news) => {
        if (kind === "progress") tell(`Solving: at least ${news.at_least}${news.best ? `, best ${news.best}` : ""}, ${news.expanded} states`);
      });
      if (!answer.plan) return tell(answer.status === "unsolvable" ? "It is proven that no plan leads on from here" : `No plan was found in time; every plan costs at least ${answer.at_least}`);
      studio.plan = [...game.moves, ...answer.plan];
      studio.planNote = answer.status === "optimal" ? "proven best from where you were" : `at least ${answer.at_least} are needed`;
      studio.go("watch");
    } catch (error) { tell(error.message); }
  }

  async function edit() {
    try {
      store.keepDraft({ text: (await api.ask("/api/level", { level: game.level, moves: game.moves })).text });
      studio.go("edit");
    } catch (error) { tell(error.message); }
  }
}
