// Playing a level: undo and redo, hints in three grades, warnings of dead ends. The page knows no
// rules: it sends the moves so far and one more, and shows the server's answer.

import * as api from "./api.js";
import { Board } from "./board.js";
import { amount, announce, button, h, notify, panel, sequence, share } from "./dom.js";
import { parOf, proofOf } from "./gallery.js";
import { HELP, BoardInput } from "./input.js";
import { History } from "./history.js";
import * as link from "./link.js";
import * as store from "./store.js";

export async function open(screen, studio, onLeave) {
  const level = studio.level;
  const history = new History(level);
  if (studio.moves) history.replace(studio.moves);
  studio.moves = null;
  const enqueue = sequence();
  let position, warningRequest;

  const heading = h("h1"), sub = h("p", { class: "sub" });
  const cost = h("span", { class: "count", "data-cost": "" }), par = h("span", { class: "sub" });
  const state = h("p", { class: "badge", "aria-live": "polite", "data-state": "" });
  const certificate = h("p", { class: "sub", hidden: true, "data-certificate": "" });
  const list = h("ol", { class: "moves", "aria-label": "moves so far" });
  const help = h("p", { class: "sub keys" });
  const left = h("div", { class: "stage" });
  const board = new Board(left, { label: "the board" });
  const input = new BoardInput(board, { onMove: attempt, onIllegal: explain, enqueue: (act) => enqueue(() => (board.finish(), act())) });

  const undo = button("undo", "Undo", () => goBy(-1), { key: "u" });
  const redo = button("redo", "Redo", () => goBy(1), { key: "r" });
  const again = button("restart", "Restart", restart, { key: "0" });
  const hints = [
    button("hint1", "Still solvable?", () => hint(1), { key: "1" }),
    button("hint2", "Which piece?", () => hint(2), { key: "2" }),
    button("hint3", "Which move?", () => hint(3), { key: "3" }),
  ];
  const next = button("next", "Next level", nextLevel, { key: "n", kind: "main" });
  const warnings = h("select", { "data-field": "warnings", onchange: switchWarnings },
    h("option", { value: "off" }, "off"),
    h("option", { value: "request" }, "on request"),
    h("option", { value: "once" }, "at once"));
  warnings.value = store.setting("warnings", "request");

  screen.replaceChildren(heading, sub, h("div", { class: "split" }, left, h("div", {},
    panel(null,
      h("p", { class: "score" }, cost, par), state, certificate,
      h("div", { class: "bar" }, undo, redo, again, next)),
    panel("Stuck?", h("div", { class: "bar" }, hints), h("label", {}, "Warn of dead ends", warnings)),
    panel("Moves", list),
    panel(null, h("div", { class: "bar" },
      button("solve", "Show a best plan", solve),
      button("watch", "Watch my moves", watch),
      button("share", "Copy link", async () => share(await link.address("play", { level, moves: history.moves(), proof: await proof() }))),
      button("edit", "Edit from here", edit))),
    help)));

  document.addEventListener("keydown", keys);
  onLeave(() => {
    document.removeEventListener("keydown", keys);
    warningRequest?.abort();
    board.film = null;
  });
  await show();
  showProof();
  switchWarnings();
  board.svg.focus({ preventScroll: true });

  function keys(event) {
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = { u: () => goBy(-1), r: () => goBy(1), 0: restart, n: nextLevel };
    const act = /^[123]$/.test(event.key) ? () => hint(Number(event.key)) : acts[event.key];
    if (act) {
      event.preventDefault();
      act();
    } else if (!(event.target.matches("button, a") && /^( |Enter)$/.test(event.key))) {
      input.key(event); // arrow keys work wherever the focus is
    }
  }

  /** What is certified about the level: by the program's own list, or as the link says. */
  async function proof() {
    const { levels } = await studio.gallery();
    const known = levels.find(({ text, certificate }) => text === level && certificate);
    if (known) return { ...proofOf(known), known: true };
    return studio.proof?.level === level ? studio.proof.proof : null;
  }

  async function showProof() {
    const claim = await proof();
    certificate.hidden = !claim;
    if (!claim) return;
    certificate.textContent = claim.known
      ? `Certificate: ${claim.claim}, SHA-256 ${claim.sha256}`
      : `The link claims ${claim.claim}, proven by a certificate with the SHA-256 ${claim.sha256}`;
  }

  /** Shows everything beside the board. */
  function describe(answer) {
    position = answer;
    const moves = history.moves();
    heading.textContent = answer.title ?? answer.game;
    sub.textContent = [answer.game, answer.variant, answer.difficulty].filter(Boolean).join(" · ");
    cost.textContent = answer.cost;
    par.textContent = ` ${amount(answer.cost, answer.measure).replace(/^\d+ /, "")}; ${parOf(answer)}`;
    undo.disabled = !history.canUndo;
    redo.disabled = !history.canRedo;
    again.disabled = !moves.length;
    next.hidden = !answer.over;
    showState(answer);
    const [keys, rest] = HELP[input.controls];
    if (!answer.over) help.replaceChildren(h("b", {}, keys), ` ${rest}`);
    list.replaceChildren(...moves.map((move) => h("li", {}, move)));
    list.scrollTop = list.scrollHeight;
    studio.updateAddress("play", level, moves);
    warn();
  }

  function showState({ over, par, cost, legal, shortfall }) {
    const setBadge = (kind, text) => {
      state.className = `badge ${kind}`;
      state.textContent = text;
    };
    if (over) {
      store.saveBest(level, cost);
      setBadge("good", par && cost <= par ? "Solved, and no plan is better!" : "Solved!");
    } else if (!legal.length) setBadge("bad", `No move is left: ${shortfall}`);
    else setBadge("", "");
  }

  async function show() {
    try {
      const answer = await api.post("/api/board", { level, moves: history.moves() });
      board.show(answer.view);
      input.setLegal(answer);
      describe(answer);
    } catch (error) {
      if (!history.acts.length) throw error;
      notify(error.message);
      history.clear();
      await show();
    }
  }

  async function attempt(move, cell) {
    const answer = await api.post("/api/board", { level, moves: history.moves(), try: move });
    if (answer.refused) return notify(`Refused: ${answer.refused}`);
    const follow = cell && cellAfter(board.view, answer.film, cell);
    history.add(answer.move);
    board.play(answer.film);
    input.setLegal(answer, follow);
    describe(answer);
    announce([answer.move, ...answer.view.status.map(({ label, value }) => `${label} ${value}`), state.textContent].join(". "));
  }

  /** Shows why there is no legal move with this gesture. */
  async function explain(row, col, toward) {
    const answer = await api.post("/api/board", { level, moves: history.moves(), grip: { row, col, toward } });
    if (answer.refused && !position.over) notify(`Refused: ${answer.refused}`);
  }

  /** Undoes (negative) or redoes (positive) steps. */
  function goBy(steps) {
    return enqueue(async () => {
      board.finish();
      history.go(steps);
      await show();
    });
  }

  function restart() {
    return enqueue(async () => {
      board.finish();
      history.restart();
      await show();
    });
  }

  async function nextLevel() {
    if (!position.over) return;
    const { levels } = await studio.gallery();
    const at = levels.findIndex(({ text }) => text === level);
    studio.setLevel(levels[(at + 1) % levels.length].text);
    studio.go("play");
  }

  async function hint(grade) {
    if (grade === 1 && warnings.value === "off") return;
    notify("Solving …");
    try {
      const answer = await api.post("/api/hint", { level, moves: history.moves(), grade });
      notify(hintText(answer, position.measure));
      if (answer.row !== undefined) input.showHint(answer.row, answer.col);
    } catch (error) {
      notify(error.message);
    }
  }

  function switchWarnings() {
    store.saveSetting("warnings", warnings.value);
    hints[0].hidden = warnings.value === "off";
    showState(position);
    warn();
  }

  /**
   * With warnings "at once": asks for a hint after every move, and drops the request when another
   * move is made.
   */
  async function warn() {
    warningRequest?.abort();
    if (warnings.value !== "once" || position.over || !position.legal.length) return;
    const mine = (warningRequest = new AbortController());
    try {
      const answer = await api.post("/api/hint", { level, moves: history.moves(), grade: 1 }, mine.signal);
      if (mine.signal.aborted) return;
      state.className = `badge ${{ lost: "bad", solvable: "good" }[answer.hint] ?? ""}`;
      state.textContent = { lost: "Dead end: take a move back", solvable: "Still solvable" }[answer.hint] ?? "";
    } catch {
      // The request was aborted, or the server gave no answer: there is no warning then.
    }
  }

  async function solve() {
    notify("Solving …");
    try {
      const moves = history.moves();
      const answer = await api.stream("/api/solve", { level, moves, seconds: 30 }, (kind, progress) => {
        const best = progress.best ? `, best ${progress.best}` : "";
        if (kind === "progress") notify(`Solving: at least ${progress.at_least}${best}, ${progress.expanded} states`);
      });
      if (answer.status === "unsolvable") return notify("It is proven that no plan leads from here to the goal");
      if (!answer.plan) return notify(`No plan was found in time; every plan costs at least ${answer.at_least}`);
      studio.note = answer.status === "optimal" ? "proven best from where you were" : `at least ${answer.at_least} are needed`;
      studio.moves = [...moves, ...answer.plan];
      studio.go("watch");
    } catch (error) {
      notify(error.message);
    }
  }

  function watch() {
    studio.moves = history.moves();
    studio.go("watch");
  }

  async function edit() {
    try {
      const { text } = await api.post("/api/level", { level, moves: history.moves() });
      store.saveDraft({ text });
      studio.go("edit");
    } catch (error) {
      notify(error.message);
    }
  }
}

/** The cell of a piece after a film, by its cell before; null if the piece is gone. */
function cellAfter(before, film, cell) {
  const [row, col] = cell.split(",").map(Number);
  const piece = before.pieces.findLast((piece) => piece.row === row && piece.col === col);
  if (!piece) return cell;
  const after = film.at(-1).pieces.find(({ id }) => id === piece.id);
  return after ? `${after.row},${after.col}` : null;
}

/** A hint as a sentence. */
function hintText(answer, measure) {
  if (answer.hint === "done") return "This is the goal.";
  if (answer.hint === "lost") return "No plan leads from here to the goal: take a move back.";
  if (answer.hint === "unknown") {
    const ranOut = ["time", "memory"].includes(answer.limit);
    return ranOut ? `Not known: the ${answer.limit} ran out.` : "Not known: the search was interrupted.";
  }
  const left = `The goal can still be reached, in ${answer.proven ? "" : "at most "}${amount(answer.left, measure)}`;
  if (answer.move) return `${left}: ${answer.move}`;
  return answer.row === undefined ? `${left}.` : `${left}: look at the marked cell, ${answer.place}.`;
}
