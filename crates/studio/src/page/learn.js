// The rules of each game: first small boards to try, one rule each, then the rules in full.

import * as api from "./api.js";
import { Board } from "./board.js";
import { button, h, oneByOne, tell } from "./dom.js";
import { Hands } from "./hands.js";
import { markdown } from "./markdown.js";

export async function open(room, studio, leave) {
  const { games } = await studio.gallery();
  const page = h("div");
  let boards = [];
  const tabs = h("div", { class: "bar", role: "group", "aria-label": "games" }, games.map((game) => {
    const tab = button("learn", game.name, () => show(game));
    tab.dataset.game = game.name;
    return tab;
  }));
  room.replaceChildren(h("h1", {}, "Learn"), tabs, page);
  leave(still);
  await show(games.find(({ name }) => name === studio.learning) ?? games[0]);

  function still() {
    for (const board of boards) board.film = null;
  }

  async function show(game) {
    still();
    studio.learning = game.name;
    for (const tab of tabs.children) tab.setAttribute("aria-pressed", String(tab.dataset.game === game.name));
    const lessons = game.lessons.map(lesson);
    boards = lessons.map(({ board }) => board);
    page.replaceChildren(
      h("div", { class: "lessons" }, lessons.map(({ element }) => element)),
      h("div", { class: "rules" }, markdown(game.rules)));
    await Promise.all(lessons.map(({ again }) => again()));
  }
}

/** A board to try one rule on. */
function lesson({ title, say, text, plan }) {
  const host = h("div", { class: "stage" });
  const word = h("p", { class: "badge", role: "status", "data-said": "" });
  const turn = oneByOne();
  let moves = [];
  const board = new Board(host, { label: title });
  const hands = new Hands(board, {
    turn: (act) => turn(() => (board.finish(), act())),
    onMove: attempt,
    onWhy: (row, col, toward) => tryOut({ grip: { row, col, toward } }),
  });
  const element = h("section", { class: "panel", "data-lesson": title },
    h("h2", {}, title), h("p", {}, say), host, word,
    h("div", { class: "bar" }, button("again", "Again", () => turn(again)), button("show-me", "Show me", () => turn(showMe))));
  return { element, board, again };

  function tellIt(kind, sentence) {
    word.className = `badge ${kind}`;
    word.textContent = sentence;
  }

  async function tryOut(what) {
    const told = await api.ask("/api/board", { level: text, moves, ...what });
    if (told.refused) return tellIt("bad", `Refused: ${told.refused}`);
    moves = [...moves, told.move];
    const film = board.play(told.film);
    hands.setLegal(told);
    if (told.over) tellIt("good", "That is it!");
    else if (told.legal.length) tellIt("", told.move);
    else tellIt("bad", `No move is left: ${told.shortfall}. Try again.`);
    return { film };
  }

  function attempt(move) {
    return tryOut({ try: move });
  }

  async function again() {
    moves = [];
    const told = await api.ask("/api/board", { level: text, moves });
    board.show(told.view);
    hands.setLegal(told);
    tellIt("", "");
  }

  async function showMe() {
    try {
      await again();
      for (const move of plan) await (await attempt(move)).film;
    } catch (error) {
      tell(error.message);
    }
  }
}
