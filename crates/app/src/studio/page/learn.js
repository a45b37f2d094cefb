// The rules of each game, and small boards to try them on.

import * as api from "./api.js";
import { Board } from "./board.js";
import { h, tell } from "./dom.js";

export async function open(room, studio) {
  const { games, levels } = await studio.gallery();
  const page = h("div");
  const show = (game) => {
    studio.learning = game.name;
    const tries = levels.filter((level) => level.game === game.name && level.par !== "unsolvable").slice(0, 3);
    page.replaceChildren(h("div", { class: "rules" }, markdown(game.rules)), h("h2", {}, "Try it"), ...tries.map(small));
    for (const button of bar.children) button.setAttribute("aria-pressed", String(button.textContent === game.name));
  };
  const bar = h("div", { class: "bar" }, games.map((game) => h("button", { onclick: () => show(game) }, game.name)));
  room.replaceChildren(h("h1", {}, "Learn"), bar, page);
  show(games.find((game) => game.name === studio.learning) ?? games[0]);
}

/** A level to try, with its own undo. */
function small(level) {
  const host = h("div"), say = h("p", { class: "sub", "aria-live": "polite" });
  let moves = [];
  const board = new Board(host, { label: level.title ?? level.name, onMove: async (move) => {
    try {
      const told = await api.ask("/api/board", { level: level.text, moves, try: move });
      if (told.refused) return (say.textContent = told.refused);
      moves = [...moves, told.move];
      say.textContent = told.over ? "Solved!" : `${told.cost} ${told.measure}`;
      await board.play(told.film, told.legal);
    } catch (error) { tell(error.message); }
  } });
  const again = async () => {
    moves = [];
    const told = await api.ask("/api/board", { level: level.text, moves });
    board.show(told.view, told.legal);
    say.textContent = told.par ? `par is ${told.par} ${told.measure}` : "";
  };
  again();
  const frame = h("div", { class: "try panel", "data-try": level.name }, h("b", {}, level.title ?? level.name), host, say, h("button", { onclick: again }, "Again"));
  host.style.maxWidth = "420px";
  return frame;
}

/** As much of Markdown as our rules pages use. */
function markdown(text) {
  const blocks = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    const until = (test) => { const part = []; while (at < lines.length && test(lines[at])) part.push(lines[at++]); return part; };
    if (line.startsWith("```")) { at++; blocks.push(h("pre", {}, until((line) => !line.startsWith("```")).join("\n"))); at++; }
    else if (/^#+ /.test(line)) { blocks.push(h(line.startsWith("# ") ? "h1" : "h2", {}, inline(line.replace(/^#+ /, "")))); at++; }
    else if (line.startsWith("|")) {
      const rows = until((line) => line.startsWith("|")).map((row) => row.slice(1, -1).split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|")));
      blocks.push(h("div", { class: "scroll" }, h("table", {}, rows.filter((row) => !row.every((cell) => /^:?-+:?$/.test(cell))).map((row, index) => h("tr", {}, row.map((cell) => h(index ? "td" : "th", {}, inline(cell))))))));
    } else if (/^\s*[-*\d]+[.]? /.test(line) && !/^\d+ /.test(line)) {
      const items = [];
      for (const part of until((line) => line.trim() && !line.startsWith("#"))) /^\s*([-*]|\d+\.) /.test(part) ? items.push(part.replace(/^\s*([-*]|\d+\.) /, "")) : (items[items.length - 1] += " " + part.trim());
      blocks.push(h("ul", {}, items.map((item) => h("li", {}, inline(item)))));
    } else if (!line.trim() || line.startsWith("![") || line.startsWith("<")) at++;
    else blocks.push(h("p", {}, inline(until((line) => line.trim() && !/^[#|`]/.test(line) && !line.startsWith("![")).join(" "))));
  }
  return blocks;
}

function inline(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\([^)]*\)/g)) {
    parts.push(text.slice(end, match.index));
    parts.push(match[1] ? h("code", {}, match[1]) : match[2] ? h("b", {}, match[2]) : match[3] ? h("em", {}, match[3]) : match[4]);
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}
