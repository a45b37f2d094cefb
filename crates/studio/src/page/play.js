// The room where a level is played: undo and redo without end, hints in three grades, warnings of dead ends. The page knows
// no rules: it sends the moves so far and one more, and shows what the server says happened.

import * as api from "./api.js";
import { Board } from "./board.js";
import { amount, button, h, oneByOne, panel, say, share, tell } from "./dom.js";
import { parOf } from "./gallery.js";
import { HELP, Hands } from "./hands.js";
import { History } from "./history.js";
import * as link from "./link.js";
import * as store from "./store.js";

export async function open(room, studio, leave) {
  const level = studio.level;
  const past = new History(level);
  if (studio.moves) past.adopt(studio.moves);
  studio.moves = null;
  const turn = oneByOne();
  let position, watchdog;

  const heading = h("h1"), sub = h("p", { class: "sub" });
  const cost = h("span", { class: "count", "data-cost": "" }), par = h("span", { class: "sub" });
  const state = h("p", { class: "badge", "aria-live": "polite", "data-state": "" });
  const list = h("ol", { class: "moves", "aria-label": "moves so far" });
  const help = h("p", { class: "sub keys" });
  const left = h("div", { class: "stage" });
  const board = new Board(left, { label: "the board" });
  const hands = new Hands(board, { onMove: attempt, onWhy: why, turn: (act) => turn(() => (board.finish(), act())) });

  const undo = button("undo", "Undo", () => travel(-1), { key: "u" });
  const redo = button("redo", "Redo", () => travel(1), { key: "r" });
  const again = button("restart", "Restart", restart, { key: "0" });
  const hints = [
    button("hint1", "Still solvable?", () => hint(1), { key: "1" }),
    button("hint2", "Which piece?", () => hint(2), { key: "2" }),
    button("hint3", "Which move?", () => hint(3), { key: "3" }),
  ];
  const next = button("next", "Next level", onward, { key: "n", kind: "main" });
  const warnings = h("select", { "data-field": "warnings", onchange: switchWarnings },
    h("option", { value: "off" }, "off"),
    h("option", { value: "request" }, "on request"),
    h("option", { value: "once" }, "at once"));
  warnings.value = store.setting("warnings", "request");

  room.replaceChildren(heading, sub, h("div", { class: "split" }, left, h("div", {},
    panel(null,
      h("p", { class: "score" }, cost, par), state,
      h("div", { class: "bar" }, undo, redo, again, next)),
    panel("Stuck?", h("div", { class: "bar" }, hints), h("label", {}, "Warn of dead ends", warnings)),
    panel("Moves", list),
    panel(null, h("div", { class: "bar" },
      button("solve", "Show a best plan", solve),
      button("watch", "Watch my moves", watch),
      button("share", "Copy link", async () => share(await link.address("play", { level, moves: past.moves() }))),
      button("edit", "Edit from here", edit))),
    help)));

  document.addEventListener("keydown", keys);
  leave(() => {
    document.removeEventListener("keydown", keys);
    watchdog?.abort();
    board.film = null;
  });
  await show();
  switchWarnings();
  board.svg.focus({ preventScroll: true });

  function keys(event) {
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = { u: () => travel(-1), r: () => travel(1), 0: restart, n: onward };
    const act = /^[123]$/.test(event.key) ? () => hint(Number(event.key)) : acts[event.key];
    if (act) {
      event.preventDefault();
      act();
    } else if (!(event.target.matches("button, a") && /^( |Enter)$/.test(event.key))) {
      hands.key(event); // arrows work wherever the focus is
    }
  }

  /** Everything beside the board. */
  function describe(told) {
    position = told;
    const moves = past.moves();
    heading.textContent = told.title ?? told.game;
    sub.textContent = [told.game, told.variant, told.difficulty].filter(Boolean).join(" · ");
    cost.textContent = told.cost;
    par.textContent = ` ${amount(told.cost, told.measure).replace(/^\d+ /, "")}; ${parOf(told)}`;
    undo.disabled = !past.canUndo;
    redo.disabled = !past.canRedo;
    again.disabled = !moves.length;
    next.hidden = !told.over;
    judge(told);
    const [keys, rest] = HELP[hands.way];
    if (!told.over) help.replaceChildren(h("b", {}, keys), ` ${rest}`);
    list.replaceChildren(...moves.map((move) => h("li", {}, move)));
    list.scrollTop = list.scrollHeight;
    studio.remember("play", level, moves);
    warn();
  }

  function judge({ over, par, cost, legal, shortfall }) {
    const word = (kind, text) => {
      state.className = `badge ${kind}`;
      state.textContent = text;
    };
    if (over) {
      store.keepBest(level, cost);
      word("good", par && cost <= par ? "Solved, and nobody can do better!" : "Solved!");
    } else if (!legal.length) word("bad", `No move is left: ${shortfall}`);
    else word("", "");
  }

  async function show() {
    try {
      const told = await api.ask("/api/board", { level, moves: past.moves() });
      board.show(told.view);
      hands.setLegal(told);
      describe(told);
    } catch (error) {
      if (!past.acts.length) throw error;
      tell(error.message);
      past.forget();
      await show();
    }
  }

  async function attempt(move, grip) {
    const told = await api.ask("/api/board", { level, moves: past.moves(), try: move });
    if (told.refused) return tell(`Refused: ${told.refused}`);
    const follow = grip && whither(board.view, told.film, grip);
    past.do(told.move);
    board.play(told.film);
    hands.setLegal(told, follow);
    describe(told);
    say([told.move, ...told.view.aside.map(({ label, value }) => `${label} ${value}`), state.textContent].join(". "));
  }

  /** Nothing legal there: the referee says why. */
  async function why(row, col, toward) {
    const told = await api.ask("/api/board", { level, moves: past.moves(), grip: { row, col, toward } });
    if (told.refused && !position.over) tell(`Refused: ${told.refused}`);
  }

  function travel(steps) {
    return turn(async () => {
      board.finish();
      past.travel(steps);
      await show();
    });
  }

  function restart() {
    return turn(async () => {
      board.finish();
      past.restart();
      await show();
    });
  }

  async function onward() {
    if (!position.over) return;
    const { levels } = await studio.gallery();
    const at = levels.findIndex(({ text }) => text === level);
    studio.take(levels[(at + 1) % levels.length].text);
    studio.go("play");
  }

  async function hint(grade) {
    if (grade === 1 && warnings.value === "off") return;
    tell("Thinking …");
    try {
      const told = await api.ask("/api/hint", { level, moves: past.moves(), grade });
      tell(inWords(told, position.measure));
      if (told.row !== undefined) hands.glow(told.row, told.col);
    } catch (error) {
      tell(error.message);
    }
  }

  function switchWarnings() {
    store.keepSetting("warnings", warnings.value);
    hints[0].hidden = warnings.value === "off";
    judge(position);
    warn();
  }

  /** At once: asks after every move, and drops the question when it is outdated. */
  async function warn() {
    watchdog?.abort();
    if (warnings.value !== "once" || position.over || !position.legal.length) return;
    const mine = (watchdog = new AbortController());
    try {
      const told = await api.ask("/api/hint", { level, moves: past.moves(), grade: 1 }, mine.signal);
      if (mine.signal.aborted) return;
      state.className = `badge ${{ lost: "bad", solvable: "good" }[told.hint] ?? ""}`;
      state.textContent = { lost: "Dead end: take a move back", solvable: "Still solvable" }[told.hint] ?? "";
    } catch {
      // Outdated.
    }
  }

  async function solve() {
    tell("Solving …");
    try {
      const moves = past.moves();
      const answer = await api.stream("/api/solve", { level, moves, seconds: 30 }, (kind, news) => {
        const best = news.best ? `, best ${news.best}` : "";
        if (kind === "progress") tell(`Solving: at least ${news.at_least}${best}, ${news.expanded} states`);
      });
      if (answer.status === "unsolvable") return tell("It is proven that no plan leads on from here");
      if (!answer.plan) return tell(`No plan was found in time; every plan costs at least ${answer.at_least}`);
      studio.note = answer.status === "optimal" ? "proven best from where you were" : `at least ${answer.at_least} are needed`;
      studio.moves = [...moves, ...answer.plan];
      studio.go("watch");
    } catch (error) {
      tell(error.message);
    }
  }

  function watch() {
    studio.moves = past.moves();
    studio.go("watch");
  }

  async function edit() {
    try {
      const { text } = await api.ask("/api/level", { level, moves: past.moves() });
      store.keepDraft({ text });
      studio.go("edit");
    } catch (error) {
      tell(error.message);
    }
  }
}

/** Where the piece that was in this cell is at the end of the film; null if it is gone. */
function whither(before, film, grip) {
  const [row, col] = grip.split(",").map(Number);
  const piece = before.pieces.findLast((piece) => piece.row === row && piece.col === col);
  if (!piece) return grip;
  const after = film.at(-1).pieces.find(({ id }) => id === piece.id);
  return after ? `${after.row},${after.col}` : null;
}

/** A hint as a sentence. */
function inWords(told, measure) {
  if (told.hint === "done") return "This is the goal.";
  if (told.hint === "lost") return "No plan leads on from here: take a move back.";
  if (told.hint === "unknown") return `The ${told.limit} ran out before it was clear.`;
  const left = `It can still be done, in ${told.proven ? "" : "at most "}${amount(told.left, measure)}`;
  if (told.move) return `${left}: ${told.move}`;
  return told.row === undefined ? `${left}.` : `${left}: look at the glowing cell, row ${told.row}, column ${told.col}.`;
}
