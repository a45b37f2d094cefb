// A board on the page. It draws the views that the server sends and animates the moments of a move:
// pieces glide or turn, removed pieces fade out, and changed ground fades in.

import { drawing, h, s } from "./dom.js";

export const CELL = 40; // the width of a cell in drawings
const MAX_CELL = 76; // pixels of a cell on the screen, at most
const MOMENT = 75; // milliseconds for a piece to cross a cell
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

export class Board {
  constructor(host, { label } = {}) {
    this.numbers = s("g", { "aria-hidden": "true" });
    this.ground = s("g");
    this.pieces = s("g");
    this.goals = s("g", { "pointer-events": "none" });
    this.marks = s("g", { class: "marks" });
    const layers = [this.numbers, this.ground, this.pieces, this.goals, this.marks];
    this.svg = s("svg", { class: "board", role: "img", "aria-label": label ?? "the board" }, layers);
    this.status = h("ul", { class: "status" });
    this.sprites = new Map(); // by the id of the piece
    host.append(this.status, this.svg);
  }

  /** Shows a view at once. */
  show(view) {
    this.film = null;
    this.svg.classList.remove("filming");
    this.layOut(view);
    this.ground.replaceChildren(...drawing(view.drawings[view.ground]));
    this.paint(view);
    for (const piece of view.pieces) place(this.sprites.get(piece.id).element, piece.row, piece.col);
  }

  /** Shows the moments of a move one after the other; resolves when they are over. */
  play(moments, speed = 1) {
    const last = moments.at(-1);
    if (reducedMotion.matches || document.hidden || !this.view) {
      this.show(last);
      return Promise.resolve();
    }
    this.svg.classList.add("filming");
    return new Promise((resolve) => {
      const film = (this.film = { last, resolve });
      let next = 0, transition, began, ends;
      const frame = (now) => {
        if (this.film !== film) return resolve();
        while (!transition || now >= ends) {
          transition?.(1);
          if (next === moments.length) {
            this.show(last);
            return resolve();
          }
          began = ends ?? now;
          ends = began + (MOMENT / speed) * moments[next].cells;
          transition = this.transition(moments[next++]);
        }
        transition((now - began) / (ends - began));
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    });
  }

  /** Jumps to the end of a film that is running. */
  finish() {
    if (!this.film) return;
    const { last, resolve } = this.film;
    this.show(last);
    resolve();
  }

  /**
   * The transition from the shown view to the next one, as a function of the progress from 0 to 1.
   */
  transition(view) {
    const before = this.view;
    const old = new Map(before.pieces.map((piece) => [piece.id, piece]));
    const present = new Set(view.pieces.map((piece) => piece.id));
    const leaving = [...this.sprites].filter(([id]) => !present.has(id)).map(([, sprite]) => sprite.element);
    const newGround = this.fadeInGround(before, view);
    this.paint(view, leaving);
    const movers = [];
    for (const piece of view.pieces) {
      const { element } = this.sprites.get(piece.id);
      const from = old.get(piece.id), turns = view.turned.includes(piece.id);
      if (!from) place(element, piece.row, piece.col);
      else if (turns || from.row !== piece.row || from.col !== piece.col) movers.push({ element, from, to: piece, turns });
    }
    return (progress) => {
      for (const { element, from, to, turns } of movers) {
        const between = (a, b) => a + (b - a) * progress;
        place(element, between(from.row, to.row), between(from.col, to.col), turns ? between(-90, 0) : 0);
      }
      for (const element of leaving) {
        if (progress < 1) element.setAttribute("opacity", String(1 - progress));
        else element.remove();
      }
      if (progress < 1) newGround?.setAttribute("opacity", String(progress));
      else newGround?.removeAttribute("opacity");
    };
  }

  /** The new ground, in a layer above the old one; null if the ground is the same. */
  fadeInGround(before, view) {
    const ground = view.drawings[view.ground];
    if (before.drawings[before.ground] === ground) return null;
    const layer = s("g", { opacity: 0 }, drawing(ground));
    while (this.ground.childElementCount > 1 && this.ground.lastChild.tagName === "g") this.ground.lastChild.remove();
    this.ground.append(layer);
    return layer;
  }

  /** Draws goals, status and the look of each piece, but does not place the pieces. */
  paint(view, leaving = []) {
    const goals = view.drawings[view.goals];
    if (this.goalsShown !== goals) this.goals.replaceChildren(...drawing((this.goalsShown = goals)));
    const kept = new Set(view.pieces.map((piece) => piece.id));
    for (const [id, { element }] of this.sprites) {
      if (kept.has(id)) continue;
      this.sprites.delete(id);
      if (!leaving.includes(element)) element.remove();
    }
    for (const piece of view.pieces) {
      let sprite = this.sprites.get(piece.id);
      if (!sprite) {
        sprite = { element: s("g") };
        this.sprites.set(piece.id, sprite);
        this.pieces.append(sprite.element);
      }
      const look = view.drawings[piece.look];
      if (sprite.look !== look) sprite.element.replaceChildren(...drawing((sprite.look = look)));
    }
    for (const element of leaving) this.pieces.prepend(element);
    if (!leaving.length && this.pieces.childElementCount > view.pieces.length) this.removeStale(view);
    this.showStatus(view.status);
    this.view = view;
  }

  /** Removes the elements of pieces that are gone, which an interrupted film may leave. */
  removeStale(view) {
    this.pieces.replaceChildren(...view.pieces.map((piece) => this.sprites.get(piece.id).element));
  }

  showStatus(items) {
    const text = items.map(({ label, value }) => `${label} ${value}`).join("; ");
    if (this.statusText === text) return;
    this.statusText = text;
    this.status.replaceChildren(...items.map(({ label, value, fill, ink }) => {
      const shown = h("b", { class: fill ? "chip" : null }, value);
      if (fill) {
        shown.style.background = fill;
        shown.style.color = ink;
      }
      return h("li", {}, `${label} `, shown);
    }));
  }

  layOut(view) {
    const rim = view.rim ? 1 : 0;
    const size = `${view.rows} ${view.cols} ${rim}`;
    if (this.size === size) return;
    this.size = size;
    const [corner, margin] = [-rim * CELL, 20];
    const [width, height] = [(view.cols + 2 * rim) * CELL + margin + 6, (view.rows + 2 * rim) * CELL + margin + 6];
    this.svg.setAttribute("viewBox", `${corner - margin} ${corner - margin} ${width} ${height}`);
    this.svg.style.maxWidth = `${(width * MAX_CELL) / CELL}px`;
    const number = (n, x, y) => s("text", { x, y }, String(n));
    const count = (length) => Array.from({ length }, (_, index) => index);
    this.numbers.replaceChildren(
      ...count(view.rows).map((row) => number(row + 1, corner - 10, (row + 0.5) * CELL)),
      ...count(view.cols).map((col) => number(col + 1, (col + 0.5) * CELL, corner - 10)),
    );
  }

  /** The row and column, from 1, under a pointer. */
  cellAt(event) {
    const matrix = this.svg.getScreenCTM().inverse();
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    return [Math.floor(point.y / CELL) + 1, Math.floor(point.x / CELL) + 1];
  }

  /** The label of the piece in a cell, or an empty string. */
  labelAt(row, col) {
    const piece = this.view?.pieces.findLast((piece) => Math.round(piece.row) === row && Math.round(piece.col) === col);
    return piece?.label ?? "";
  }
}

function place(element, row, col, turn = 0) {
  const move = `translate(${(col - 0.5) * CELL} ${(row - 0.5) * CELL})`;
  element.setAttribute("transform", turn ? `${move} rotate(${turn})` : move);
}
