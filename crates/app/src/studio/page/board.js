// A board on the page. It draws what the server sends, moves pieces from moment to moment, and finds moves by where they
// are taken hold of: a cell, and a direction where several moves share the cell.

import { drawing, h, s } from "./dom.js";

const CELL = 40;
const MOMENT = 75; // milliseconds
const SIDES = { up: [-1, 0], right: [0, 1], down: [1, 0], left: [0, -1] };
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Board {
  /** `onMove` gets the text of a move. */
  constructor(host, { onMove, label } = {}) {
    this.onMove = onMove;
    this.ground = s("g");
    this.pieces = s("g");
    this.goals = s("g", { "pointer-events": "none" });
    this.marks = s("g");
    this.numbers = s("g", { "aria-hidden": "true" });
    this.svg = s("svg", { class: "board", role: "application", tabindex: "0", "aria-label": label ?? "board" },
      this.numbers, this.ground, this.pieces, this.goals, this.marks);
    this.aside = h("ul", { class: "aside" });
    this.sprites = new Map();
    this.legal = [];
    this.held = null;
    this.cursor = null;
    host.append(this.svg, this.aside);
    if (onMove) {
      this.svg.addEventListener("keydown", (event) => this.key(event));
      this.svg.addEventListener("pointerdown", (event) => this.press(event));
      this.svg.addEventListener("pointerup", (event) => this.release(event));
    }
  }

  /** Shows a position at once. */
  show(view, legal = []) {
    this.film = null;
    this.layOut(view);
    this.paint(view);
    this.place(view, view, 1);
    this.setLegal(legal);
  }

  /** Shows the moments of a move one after the other, and resolves when they are over. */
  play(views, legal = []) {
    const last = views.at(-1);
    this.setLegal([]);
    if (still.matches || document.hidden) { this.show(last, legal); return Promise.resolve(); }
    return new Promise((resolve) => {
      const film = (this.film = { views: [this.view, ...views], started: performance.now() });
      let shown = 0;
      const frame = (now) => {
        if (this.film !== film) return resolve();
        const time = (now - film.started) / MOMENT;
        const at = Math.min(Math.floor(time), views.length - 1);
        while (shown <= at) this.paint(film.views[++shown]);
        this.place(film.views[at], film.views[at + 1], Math.min(time - at, 1));
        if (time < views.length) return requestAnimationFrame(frame);
        this.show(last, legal);
        resolve();
      };
      requestAnimationFrame(frame);
    });
  }

  layOut(view) {
    const rim = view.rim ? 1 : 0;
    const [width, height] = [(view.cols + 2 * rim) * CELL, (view.rows + 2 * rim) * CELL];
    this.svg.setAttribute("viewBox", `${-rim * CELL - 20} ${-rim * CELL - 20} ${width + 26} ${height + 26}`);
    const size = `${view.rows}x${view.cols}`;
    if (this.size === size) return;
    this.size = size;
    this.numbers.replaceChildren(
      ...Array.from({ length: view.rows }, (_, i) => s("text", { x: -rim * CELL - 10, y: (i + 0.5) * CELL }, String(i + 1))),
      ...Array.from({ length: view.cols }, (_, i) => s("text", { x: (i + 0.5) * CELL, y: -rim * CELL - 10 }, String(i + 1))));
  }

  /** Ground, goals, words, and what each piece looks like. */
  paint(view) {
    if (this.view?.ground !== view.ground || !this.view) this.ground.replaceChildren(...drawing(view.ground));
    if (this.view?.goals !== view.goals || !this.view) this.goals.replaceChildren(...drawing(view.goals));
    const here = new Set(view.pieces.map((piece) => piece.id));
    for (const [id, sprite] of this.sprites) if (!here.has(id)) { sprite.element.remove(); this.sprites.delete(id); }
    for (const piece of view.pieces) {
      let sprite = this.sprites.get(piece.id);
      if (!sprite) this.sprites.set(piece.id, (sprite = { element: s("g") }));
      if (sprite.svg !== piece.svg) { sprite.element.replaceChildren(...drawing(piece.svg)); sprite.svg = piece.svg; }
      this.pieces.append(sprite.element);
    }
    this.aside.replaceChildren(...view.aside.map((word) => {
      const value = h("span", { class: word.fill ? "chip" : "" }, word.value);
      if (word.fill) { value.style.background = word.fill; value.style.color = word.ink; }
      return h("li", {}, `${word.label} `, value);
    }));
    this.view = view;
  }

  place(from, to, t) {
    const was = new Map(from.pieces.map((piece) => [piece.id, piece]));
    for (const piece of to.pieces) {
      const before = was.get(piece.id) ?? piece;
      const row = before.row + (piece.row - before.row) * t, col = before.col + (piece.col - before.col) * t;
      this.sprites.get(piece.id)?.element.setAttribute("transform", `translate(${(col - 0.5) * CELL} ${(row - 0.5) * CELL})`);
    }
  }

  setLegal(legal) {
    this.legal = legal;
    this.cells = new Map();
    for (const move of legal) {
      const key = `${move.row},${move.col}`;
      this.cells.set(key, [...(this.cells.get(key) ?? []), move]);
    }
    if (!this.cells.has(this.held)) this.held = this.cells.size === 1 ? [...this.cells.keys()][0] : null;
    if (!this.cells.has(this.cursor)) this.cursor = null;
    this.mark();
  }

  /** Where there is something to take hold of, what is held, and where the hint points. */
  mark(hint) {
    const cell = (key, name) => {
      const [row, col] = key.split(",").map(Number);
      return s("rect", { class: name, x: (col - 1) * CELL + 2, y: (row - 1) * CELL + 2, width: CELL - 4, height: CELL - 4, rx: 6, "data-cell": key });
    };
    const marks = [...this.cells.keys()].map((key) => cell(key, "grip"));
    if (hint) marks.push(cell(`${hint.row},${hint.col}`, "hinted"));
    if (this.cursor) marks.push(cell(this.cursor, "cursor"));
    if (this.held && this.cells.size > 1) {
      marks.push(cell(this.held, "held"));
      const [row, col] = this.held.split(",").map(Number);
      for (const move of this.cells.get(this.held)) {
        if (!move.toward) continue;
        const [down, right] = SIDES[move.toward];
        const turn = { up: 0, right: 90, down: 180, left: 270 }[move.toward];
        const arrow = s("path", { class: "arrow", d: "M0 -11L10 7L0 3L-10 7Z", "data-move": move.text,
          transform: `translate(${(col - 0.5 + 0.62 * right) * CELL} ${(row - 0.5 + 0.62 * down) * CELL}) rotate(${turn})` });
        marks.push(arrow);
      }
    }
    this.marks.replaceChildren(...marks);
  }

  cellAt(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [Math.floor(point.y / CELL) + 1, Math.floor(point.x / CELL) + 1];
  }

  press(event) {
    this.svg.focus();
    const arrow = event.target.getAttribute?.("data-move");
    if (arrow) return this.onMove(arrow);
    this.from = this.cellAt(event);
    this.svg.setPointerCapture(event.pointerId);
  }

  /** A click takes hold or moves; a drag moves in its direction. */
  release(event) {
    if (!this.from) return;
    const [row, col] = this.from, [endRow, endCol] = this.cellAt(event);
    this.from = null;
    const key = `${row},${col}`;
    const [down, right] = [endRow - row, endCol - col];
    if (down || right) {
      const side = Math.abs(down) > Math.abs(right) ? (down > 0 ? "down" : "up") : right > 0 ? "right" : "left";
      return this.push(this.cells.has(key) ? key : this.held, side);
    }
    if (this.held && this.cells.size === 1) {
      // One piece moves: a click says where to.
      const [r, c] = this.held.split(",").map(Number);
      if (key !== this.held) return this.push(this.held, Math.abs(row - r) > Math.abs(col - c) ? (row > r ? "down" : "up") : col > c ? "right" : "left");
    }
    this.hold(key);
  }

  hold(key) {
    const moves = this.cells.get(key);
    if (!moves) { this.held = null; return this.mark(); }
    const plain = moves.filter((move) => !move.toward);
    if (plain.length === 1 || moves.length === 1) return this.onMove((plain[0] ?? moves[0]).text);
    this.held = this.cursor = key;
    this.mark();
  }

  push(key, side) {
    const move = this.cells.get(key)?.find((move) => move.toward === side);
    if (move) this.onMove(move.text);
    else if (key) this.onRefused?.(key, side);
  }

  key(event) {
    const side = { ArrowUp: "up", ArrowRight: "right", ArrowDown: "down", ArrowLeft: "left" }[event.key];
    if (side) {
      event.preventDefault();
      return this.held ? this.push(this.held, side) : this.travel(side);
    }
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); if (this.cursor) this.hold(this.cursor); }
    if (event.key === "Escape") { this.held = null; this.mark(); }
  }

  /** The cursor goes to the nearest cell in that direction where there is something to take hold of. */
  travel(side) {
    const keys = [...this.cells.keys()];
    if (!this.cursor) { this.cursor = keys[0] ?? null; return this.mark(); }
    const [row, col] = this.cursor.split(",").map(Number), [down, right] = SIDES[side];
    const far = (key) => {
      const [r, c] = key.split(",").map(Number);
      const along = (r - row) * down + (c - col) * right, across = Math.abs((r - row) * right) + Math.abs((c - col) * down);
      return along > 0 ? along + 2.5 * across : Infinity;
    };
    const next = keys.filter((key) => far(key) < Infinity).sort((a, b) => far(a) - far(b))[0];
    if (next) { this.cursor = next; this.mark(); }
  }
}
