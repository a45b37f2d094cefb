// How a player takes hold of a board. The server says which moves there are, where each is taken hold of (a cell, and a
// direction where several moves share the cell), and which of three ways to play that makes:
//   walk: all moves share one cell, and an arrow key is a move;
//   act:  each cell has one move, arrow keys choose a cell, Enter makes the move;
//   hold: arrow keys choose a piece, Enter takes hold of it, then arrow keys move it.

import { CELL } from "./board.js";
import { s, say } from "./dom.js";

const SIDES = { up: [-1, 0], right: [0, 1], down: [1, 0], left: [0, -1] };
const TURN = { up: 0, right: 90, down: 180, left: 270 };
const ARROWS = { ArrowUp: "up", ArrowRight: "right", ArrowDown: "down", ArrowLeft: "left" };
const OWN = [...Object.keys(ARROWS), "Enter", " ", "Escape"];

export const HELP = {
  walk: ["Arrow keys", "move. A click or swipe does, too."],
  act: ["Arrow keys", "choose a place, Enter acts there. A click does, too."],
  hold: ["Arrow keys", "choose a piece, Enter takes hold, arrow keys then move it, Esc lets go. Or drag it."],
};

export class Hands {
  /** `onMove` gets the text of a move; `onWhy` a cell and direction where there is none. */
  constructor(board, { onMove, onWhy, turn }) {
    Object.assign(this, { board, onMove, onWhy, turn });
    this.cells = new Map(); // "row,col" to the moves that are taken hold of there
    this.held = this.cursor = this.hint = null;
    this.way = "act";
    this.byKeys = false;
    const { svg } = board;
    svg.setAttribute("role", "application");
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("aria-roledescription", "puzzle board");
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointerup", (event) => this.release(event));
    svg.addEventListener("keydown", (event) => this.key(event));
  }

  /** The moves of a new position. `follow` is the cell where the piece that was moved is now. */
  setLegal({ legal, way }, follow) {
    this.cells = Map.groupBy(legal, (move) => `${move.row},${move.col}`);
    this.way = way;
    this.hint = null;
    const followed = follow && this.cells.has(follow);
    if (follow) this.cursor = follow;
    this.held = this.held && followed ? follow : null;
    if (this.cells.size && !this.cells.has(this.cursor)) this.cursor = this.nearest(this.cursor);
    if (way === "walk") this.held = this.cursor = [...this.cells.keys()][0] ?? null;
    this.mark();
  }

  nearest(key) {
    const keys = [...this.cells.keys()];
    if (!key) return keys[0];
    const [row, col] = place(key);
    const far = (other) => Math.hypot(place(other)[0] - row, place(other)[1] - col);
    return keys.sort((a, b) => far(a) - far(b))[0];
  }

  glow(row, col) {
    this.hint = `${row},${col}`;
    this.mark();
  }

  /** What can be taken hold of, what is held, and where the hint points. */
  mark() {
    const marks = [...this.cells].map(([key, moves]) => this.grip(key, moves));
    if (this.hint) marks.push(frame(this.hint, "hinted"));
    if (this.byKeys && this.cursor && this.way !== "walk") marks.push(frame(this.cursor, "cursor"));
    if (this.held && this.way !== "walk") {
      marks.push(frame(this.held, "held"), ...(this.cells.get(this.held) ?? []).map(arrow));
    }
    this.board.marks.replaceChildren(...marks);
    const { svg } = this.board;
    if (this.cursor && this.cells.has(this.cursor)) svg.setAttribute("aria-activedescendant", id(this.cursor));
    else svg.removeAttribute("aria-activedescendant");
  }

  grip(key, moves) {
    const [row, col] = place(key), { rows, cols } = this.board.view;
    const name = this.describe(key, moves);
    const rect = frame(key, "grip", { role: "button", "aria-label": name, id: id(key), "data-cell": key });
    if (row >= 1 && col >= 1 && row <= rows && col <= cols) return rect;
    // Off the board there is nothing to see yet: show where to shoot from.
    return s("g", { class: "muzzle" }, rect, triangle(moves[0], row - 0.5, col - 0.5));
  }

  describe(key, moves) {
    const [row, col] = place(key);
    const name = this.board.named(row, col);
    const ways = moves.map((move) => move.toward ?? "act").join(", ");
    return this.way === "act"
      ? `${moves[0].text}${name ? `: ${name}` : ""}`
      : `${name || "piece"}, row ${row}, column ${col}: ${ways}`;
  }

  // Pointers: a click takes hold or moves, a drag moves in its direction.

  press(event) {
    this.byKeys = false;
    const text = event.target.getAttribute?.("data-move");
    if (text) return this.turn(() => this.onMove(text));
    this.from = this.board.cellAt(event);
    this.board.svg.setPointerCapture(event.pointerId);
  }

  release(event) {
    if (!this.from) return;
    const from = this.from, to = this.board.cellAt(event);
    this.from = null;
    this.turn(() => this.drag(from, to));
  }

  drag(from, to) {
    const key = from.join(",");
    const [down, right] = [to[0] - from[0], to[1] - from[1]];
    if (down || right) return this.push(this.way === "walk" ? this.held : key, toward(down, right));
    if (this.way === "walk") {
      const [row, col] = place(this.held);
      if (key !== this.held) return this.push(this.held, toward(from[0] - row, from[1] - col));
    }
    if (this.cells.has(key)) return this.take(key);
    if (this.held && this.way === "hold") {
      const [row, col] = place(this.held);
      if (row === from[0] || col === from[1]) return this.push(this.held, toward(from[0] - row, from[1] - col));
    }
    this.held = null;
    this.mark();
    return this.onWhy?.(from[0], from[1], null);
  }

  // Keys.

  /** Takes a key if it is for the board. */
  key(event) {
    if (!OWN.includes(event.key) || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    event.preventDefault();
    this.turn(() => this.handle(event.key));
  }

  handle(key) {
    this.byKeys = true;
    const side = ARROWS[key];
    if (side && this.held) return this.push(this.held, side);
    if (side) return this.travel(side);
    if (key === "Escape" || this.held === this.cursor) {
      if (this.way !== "walk") this.held = null;
      return this.mark();
    }
    if (this.cursor) return this.take(this.cursor);
  }

  /** To the nearest cell in that direction where there is something to take hold of; the first key only shows where. */
  travel(side) {
    const keys = [...this.cells.keys()];
    if (!keys.length) return;
    if (!this.shown) {
      this.shown = true;
      this.cursor ??= keys[0];
    } else {
      const [row, col] = place(this.cursor), [down, right] = SIDES[side];
      const far = (key) => {
        const [r, c] = place(key);
        const along = (r - row) * down + (c - col) * right;
        const across = Math.abs((r - row) * right) + Math.abs((c - col) * down);
        return along > 0 ? along + 2.5 * across : Infinity;
      };
      const next = keys.filter((key) => far(key) < Infinity).sort((a, b) => far(a) - far(b))[0];
      if (next) this.cursor = next;
    }
    this.mark();
    say(this.describe(this.cursor, this.cells.get(this.cursor)));
  }

  // Both.

  take(key) {
    const moves = this.cells.get(key);
    this.cursor = key;
    if (this.way === "act") return this.onMove(moves[0].text, key);
    this.held = this.held === key ? null : key;
    this.mark();
    if (this.held) say(`holding ${this.describe(key, moves)}`);
  }

  push(key, side) {
    const move = this.cells.get(key)?.find((move) => move.toward === side);
    if (!move) return this.onWhy?.(...place(key), side);
    if (this.way === "hold") this.held = key;
    return this.onMove(move.text, key);
  }
}

const place = (key) => key.split(",").map(Number);
const id = (key) => `cell-${key.replace(",", "-")}`;

function toward(down, right) {
  if (Math.abs(down) > Math.abs(right)) return down > 0 ? "down" : "up";
  return right > 0 ? "right" : "left";
}

function frame(key, name, more = {}) {
  const [row, col] = place(key);
  const [x, y, size] = [(col - 1) * CELL + 2, (row - 1) * CELL + 2, CELL - 4];
  return s("rect", { class: name, x, y, width: size, height: size, rx: 6, ...more });
}

function triangle({ toward }, row, col, more = {}) {
  const transform = `translate(${col * CELL} ${row * CELL}) rotate(${TURN[toward ?? "up"]})`;
  return s("path", { class: "arrow", d: "M0 -11L10 7L0 3L-10 7Z", transform, ...more });
}

/** Beside the held piece, one for each way it can go. */
function arrow(move) {
  const [down, right] = SIDES[move.toward];
  const label = { role: "button", "aria-label": move.text, "data-move": move.text };
  return triangle(move, move.row - 0.5 + 0.62 * down, move.col - 0.5 + 0.62 * right, label);
}
