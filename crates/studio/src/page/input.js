// Keyboard and pointer input on a board. The server sends the legal moves, each with a cell (and a
// direction if several moves share the cell), and which of three kinds of controls they need:
//   direct: all moves share one cell, and an arrow key is a move; Enter is the one without direction;
//   cell:   each cell has one move; arrow keys choose a cell, Enter makes the move;
//   piece:  arrow keys choose a piece, Enter takes hold of it, then arrow keys move it.

import { CELL } from "./board.js";
import { announce, s } from "./dom.js";

const SIDES = { up: [-1, 0], right: [0, 1], down: [1, 0], left: [0, -1] };
const TURN = { up: 0, right: 90, down: 180, left: 270 };
const ARROWS = { ArrowUp: "up", ArrowRight: "right", ArrowDown: "down", ArrowLeft: "left" };
const KEYS = [...Object.keys(ARROWS), "Enter", " ", "Escape"];

export const HELP = {
  direct: ["Arrow keys", "move. So do clicks and swipes. Enter is the action key, if the game has one."],
  cell: ["Arrow keys", "choose a cell, Enter makes its move. So does a click."],
  piece: ["Arrow keys", "choose a piece, Enter takes hold of it, arrow keys then move it, Esc lets go. Or drag it."],
};

export class BoardInput {
  /**
   * `onMove` gets the text of a move; `onIllegal` a cell and direction without a legal move;
   * `enqueue` runs an action.
   */
  constructor(board, { onMove, onIllegal, enqueue }) {
    Object.assign(this, { board, onMove, onIllegal, enqueue });
    this.cells = new Map(); // from "row,col" to the moves of that cell
    this.held = this.cursor = this.hint = null;
    this.controls = "cell";
    this.keyboard = false;
    const { svg } = board;
    svg.setAttribute("role", "application");
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("aria-roledescription", "puzzle board");
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointerup", (event) => this.release(event));
    svg.addEventListener("keydown", (event) => this.key(event));
  }

  /** Sets the legal moves of a new state. `follow` is the cell where the moved piece is now. */
  setLegal({ legal, controls }, follow) {
    this.cells = Map.groupBy(legal, (move) => `${move.row},${move.col}`);
    this.controls = controls;
    this.hint = null;
    const followed = follow && this.cells.has(follow);
    if (follow) this.cursor = follow;
    this.held = this.held && followed ? follow : null;
    if (this.cells.size && !this.cells.has(this.cursor)) this.cursor = this.nearest(this.cursor);
    if (controls === "direct") this.held = this.cursor = [...this.cells.keys()][0] ?? null;
    this.draw();
  }

  nearest(key) {
    const keys = [...this.cells.keys()];
    if (!key) return keys[0];
    const [row, col] = parseKey(key);
    const distance = (other) => Math.hypot(parseKey(other)[0] - row, parseKey(other)[1] - col);
    return keys.sort((a, b) => distance(a) - distance(b))[0];
  }

  /** Marks the cell of a hint. */
  showHint(row, col) {
    this.hint = `${row},${col}`;
    this.draw();
  }

  /** Draws the cells that have moves, the held piece, the cursor and the hint. */
  draw() {
    const marks = [...this.cells].map(([key, moves]) => this.target(key, moves));
    if (this.hint) marks.push(frame(this.hint, "hinted"));
    if (this.keyboard && this.cursor && this.controls !== "direct") marks.push(frame(this.cursor, "cursor"));
    if (this.held && this.controls !== "direct") {
      marks.push(frame(this.held, "held"), ...(this.cells.get(this.held) ?? []).map(arrow));
    }
    this.board.marks.replaceChildren(...marks);
    const { svg } = this.board;
    if (this.cursor && this.cells.has(this.cursor)) svg.setAttribute("aria-activedescendant", id(this.cursor));
    else svg.removeAttribute("aria-activedescendant");
  }

  /** The element to click on for the moves of a cell. */
  target(key, moves) {
    const [row, col] = parseKey(key), { rows, cols } = this.board.view;
    const name = this.describe(key, moves);
    const rect = frame(key, "target", { role: "button", "aria-label": name, id: id(key), "data-cell": key });
    if (row >= 1 && col >= 1 && row <= rows && col <= cols) return rect;
    // Cells outside the board are not drawn, so an arrow marks them.
    return s("g", { class: "outside" }, rect, triangle(moves[0], row - 0.5, col - 0.5));
  }

  describe(key, moves) {
    const [row, col] = parseKey(key), { rows, cols } = this.board.view;
    const name = this.board.labelAt(row, col);
    const directions = moves.map((move) => move.toward ?? "no direction").join(", ");
    return this.controls === "cell"
      ? `${moves[0].text}${name ? `: ${name}` : ""}`
      : `${name || "piece"}, ${place(row, col, rows, cols)}: ${directions}`;
  }

  // Pointer: a click takes hold of a piece or moves it, a drag moves in its direction.

  press(event) {
    this.keyboard = false;
    const text = event.target.getAttribute?.("data-move");
    if (text) return this.enqueue(() => this.onMove(text));
    this.from = this.board.cellAt(event);
    this.board.svg.setPointerCapture(event.pointerId);
  }

  release(event) {
    if (!this.from) return;
    const from = this.from, to = this.board.cellAt(event);
    this.from = null;
    this.enqueue(() => this.drag(from, to));
  }

  drag(from, to) {
    const key = from.join(",");
    const [down, right] = [to[0] - from[0], to[1] - from[1]];
    if (down || right) return this.push(this.controls === "direct" ? this.held : key, toward(down, right));
    if (this.controls === "direct") {
      const [row, col] = parseKey(this.held);
      if (key === this.held) return this.act();
      return this.push(this.held, toward(from[0] - row, from[1] - col));
    }
    if (this.cells.has(key)) return this.select(key);
    if (this.held && this.controls === "piece") {
      const [row, col] = parseKey(this.held);
      if (row === from[0] || col === from[1]) return this.push(this.held, toward(from[0] - row, from[1] - col));
    }
    this.held = null;
    this.draw();
    return this.onIllegal?.(from[0], from[1], null);
  }

  // Keyboard.

  /** Handles a key if it is one of the board's. */
  key(event) {
    if (!KEYS.includes(event.key) || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    event.preventDefault();
    this.enqueue(() => this.handleKey(event.key));
  }

  handleKey(key) {
    this.keyboard = true;
    const side = ARROWS[key];
    if (side && this.held) return this.push(this.held, side);
    if (side) return this.moveCursor(side);
    if (this.controls === "direct" && key !== "Escape") return this.act();
    if (key === "Escape" || this.held === this.cursor) {
      if (this.controls !== "direct") this.held = null;
      return this.draw();
    }
    if (this.cursor) return this.select(this.cursor);
  }

  /**
   * Moves the cursor to the nearest cell with moves in that direction; the first key only shows the
   * cursor.
   */
  moveCursor(side) {
    const keys = [...this.cells.keys()];
    if (!keys.length) return;
    if (!this.cursorShown) {
      this.cursorShown = true;
      this.cursor ??= keys[0];
    } else {
      const [row, col] = parseKey(this.cursor), [down, right] = SIDES[side];
      const distance = (key) => {
        const [r, c] = parseKey(key);
        const along = (r - row) * down + (c - col) * right;
        const across = Math.abs((r - row) * right) + Math.abs((c - col) * down);
        return along > 0 ? along + 2.5 * across : Infinity;
      };
      const next = keys.filter((key) => distance(key) < Infinity).sort((a, b) => distance(a) - distance(b))[0];
      if (next) this.cursor = next;
    }
    this.draw();
    announce(this.describe(this.cursor, this.cells.get(this.cursor)));
  }

  // Keyboard and pointer.

  select(key) {
    const moves = this.cells.get(key);
    this.cursor = key;
    if (this.controls === "cell") return this.onMove(moves[0].text, key);
    this.held = this.held === key ? null : key;
    this.draw();
    if (this.held) announce(`holding ${this.describe(key, moves)}`);
  }

  /** The move without a direction, if there is one. */
  act() {
    const move = this.cells.get(this.held)?.find((move) => !move.toward);
    return move && this.onMove(move.text, this.held);
  }

  push(key, side) {
    const move = this.cells.get(key)?.find((move) => move.toward === side);
    if (!move) return this.onIllegal?.(...parseKey(key), side);
    if (this.controls === "piece") this.held = key;
    return this.onMove(move.text, key);
  }
}

/**
 * The place in words, as hints say it: `row 2, column 3`; outside the board, the row or the column
 * that it belongs to: `column 1`.
 */
export function place(row, col, rows, cols) {
  const [beside, above] = [col < 1 || col > cols, row < 1 || row > rows];
  if (beside === above) return `row ${row}, column ${col}`;
  return beside ? `row ${row}` : `column ${col}`;
}

const parseKey = (key) => key.split(",").map(Number);
const id = (key) => `cell-${key.replace(",", "-")}`;

function toward(down, right) {
  if (Math.abs(down) > Math.abs(right)) return down > 0 ? "down" : "up";
  return right > 0 ? "right" : "left";
}

function frame(key, name, more = {}) {
  const [row, col] = parseKey(key);
  const [x, y, size] = [(col - 1) * CELL + 2, (row - 1) * CELL + 2, CELL - 4];
  return s("rect", { class: name, x, y, width: size, height: size, rx: 6, ...more });
}

function triangle({ toward }, row, col, more = {}) {
  const transform = `translate(${col * CELL} ${row * CELL}) rotate(${TURN[toward ?? "up"]})`;
  return s("path", { class: "arrow", d: "M0 -11L10 7L0 3L-10 7Z", transform, ...more });
}

/** An arrow beside the held piece, for one of its moves. */
function arrow(move) {
  const [down, right] = SIDES[move.toward];
  const label = { role: "button", "aria-label": move.text, "data-move": move.text };
  return triangle(move, move.row - 0.5 + 0.62 * down, move.col - 0.5 + 0.62 * right, label);
}
