// The rules of each game: first the lessons, small boards that show one rule each; then all rules
// as text.

import * as api from "./api.js";
import { Board } from "./board.js";
import { button, h, notify, sequence } from "./dom.js";
import { BoardInput } from "./input.js";
import { markdown } from "./markdown.js";

export async function open(screen, studio, onLeave) {
  const { games } = await studio.gallery();
  const page = h("div");
  let boards = [];
  const tabs = h("div", { class: "bar", role: "group", "aria-label": "games" }, games.map((game) => {
    const tab = button("learn", game.name, () => show(game));
    tab.dataset.game = game.name;
    return tab;
  }));
  screen.replaceChildren(h("h1", {}, "Learn"), tabs, page);
  onLeave(stopFilms);
  await show(games.find(({ name }) => name === studio.learning) ?? games[0]);

  function stopFilms() {
    for (const board of boards) board.film = null;
  }

  async function show(game) {
    stopFilms();
    studio.learning = game.name;
    for (const tab of tabs.children) tab.setAttribute("aria-pressed", String(tab.dataset.game === game.name));
    const lessons = game.lessons.map(lesson);
    boards = lessons.map(({ board }) => board);
    page.replaceChildren(
      h("div", { class: "lessons" }, lessons.map(({ element }) => element)),
      h("div", { class: "rules" }, markdown(game.rules)));
    await Promise.all(lessons.map(({ restart }) => restart()));
  }
}

/** A board to try one rule on. */
function lesson({ title, text, level, plan }) {
  const host = h("div", { class: "stage" });
  const message = h("p", { class: "badge", role: "status", "data-message": "" });
  const enqueue = sequence();
  let moves = [];
  const board = new Board(host, { label: title });
  const input = new BoardInput(board, {
    enqueue: (act) => enqueue(() => (board.finish(), act())),
    onMove: makeMove,
    onIllegal: (row, col, toward) => attempt({ grip: { row, col, toward } }),
  });
  const element = h("section", { class: "panel", "data-lesson": title },
    h("h2", {}, title), h("p", {}, text), host, message,
    h("div", { class: "bar" }, button("again", "Again", () => enqueue(restart)), button("show-me", "Show me", () => enqueue(showPlan))));
  return { element, board, restart };

  function setMessage(kind, sentence) {
    message.className = `badge ${kind}`;
    message.textContent = sentence;
  }

  async function attempt(move) {
    const answer = await api.post("/api/board", { level, moves, ...move });
    if (answer.refused) return setMessage("bad", `Refused: ${answer.refused}`);
    moves = [...moves, answer.move];
    const film = board.play(answer.film);
    input.setLegal(answer);
    if (answer.over) setMessage("good", "Solved!");
    else if (answer.legal.length) setMessage("", answer.move);
    else setMessage("bad", `No move is left: ${answer.shortfall}. Try again.`);
    return { film };
  }

  function makeMove(move) {
    return attempt({ try: move });
  }

  async function restart() {
    moves = [];
    const answer = await api.post("/api/board", { level, moves });
    board.show(answer.view);
    input.setLegal(answer);
    setMessage("", "");
  }

  async function showPlan() {
    try {
      await restart();
      for (const move of plan) await (await makeMove(move)).film;
    } catch (error) {
      notify(error.message);
    }
  }
}
