// A board on the page. It draws what the server sends and shows what really happened, moment by moment: pieces that go
// somewhere glide, pipes turn, pieces that are gone fade, ground that changed melts over.

import { drawing, h, s } from "./dom.js";

export const CELL = 40; // the width of a cell in drawings
const WIDEST = 76; // pixels of a cell on the screen, at most
const MOMENT = 75; // milliseconds for a piece to cross a cell
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Board {
  constructor(host, { label } = {}) {
    this.numbers = s("g", { "aria-hidden": "true" });
    this.ground = s("g");
    this.pieces = s("g");
    this.goals = s("g", { "pointer-events": "none" });
    this.marks = s("g", { class: "marks" });
    const layers = [this.numbers, this.ground, this.pieces, this.goals, this.marks];
    this.svg = s("svg", { class: "board", role: "img", "aria-label": label ?? "the board" }, layers);
    this.aside = h("ul", { class: "aside" });
    this.sprites = new Map(); // by the id of the piece
    host.append(this.aside, this.svg);
  }

  /** Shows a position at once. */
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
    if (still.matches || document.hidden || !this.view) {
      this.show(last);
      return Promise.resolve();
    }
    this.svg.classList.add("filming");
    return new Promise((resolve) => {
      const film = (this.film = { last, resolve });
      let next = 0, scene, began, ends;
      const frame = (now) => {
        if (this.film !== film) return resolve();
        while (!scene || now >= ends) {
          scene?.(1);
          if (next === moments.length) {
            this.show(last);
            return resolve();
          }
          began = ends ?? now;
          ends = began + (MOMENT / speed) * moments[next].cells;
          scene = this.scene(moments[next++]);
        }
        scene((now - began) / (ends - began));
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    });
  }

  /** Jumps to the end of whatever is still going on. */
  finish() {
    if (!this.film) return;
    const { last, resolve } = this.film;
    this.show(last);
    resolve();
  }

  /** From the view that is shown to the next one: a function of how far that is, from 0 to 1. */
  scene(view) {
    const before = this.view;
    const was = new Map(before.pieces.map((piece) => [piece.id, piece]));
    const here = new Set(view.pieces.map((piece) => piece.id));
    const leaving = [...this.sprites].filter(([id]) => !here.has(id)).map(([, sprite]) => sprite.element);
    const melting = this.melt(before, view);
    this.paint(view, leaving);
    const movers = [];
    for (const piece of view.pieces) {
      const { element } = this.sprites.get(piece.id);
      const from = was.get(piece.id), turns = view.turned.includes(piece.id);
      if (!from) place(element, piece.row, piece.col);
      else if (turns || from.row !== piece.row || from.col !== piece.col) movers.push({ element, from, to: piece, turns });
    }
    return (share) => {
      for (const { element, from, to, turns } of movers) {
        const between = (a, b) => a + (b - a) * share;
        place(element, between(from.row, to.row), between(from.col, to.col), turns ? between(-90, 0) : 0);
      }
      for (const element of leaving) {
        if (share < 1) element.setAttribute("opacity", String(1 - share));
        else element.remove();
      }
      if (share < 1) melting?.setAttribute("opacity", String(share));
      else melting?.removeAttribute("opacity");
    };
  }

  /** The new ground over the old one, where it changed. */
  melt(before, view) {
    const ground = view.drawings[view.ground];
    if (before.drawings[before.ground] === ground) return null;
    const layer = s("g", { opacity: 0 }, drawing(ground));
    while (this.ground.childElementCount > 1 && this.ground.lastChild.tagName === "g") this.ground.lastChild.remove();
    this.ground.append(layer);
    return layer;
  }

  /** Goals, words, and what each piece looks like; where the pieces are is another matter. */
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
    if (!leaving.length && this.pieces.childElementCount > view.pieces.length) this.tidy(view);
    this.tellAside(view.aside);
    this.view = view;
  }

  /** What a film that was cut short left behind. */
  tidy(view) {
    this.pieces.replaceChildren(...view.pieces.map((piece) => this.sprites.get(piece.id).element));
  }

  tellAside(words) {
    const text = words.map(({ label, value }) => `${label} ${value}`).join("; ");
    if (this.said === text) return;
    this.said = text;
    this.aside.replaceChildren(...words.map(({ label, value, fill, ink }) => {
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
    const [wide, high] = [(view.cols + 2 * rim) * CELL + margin + 6, (view.rows + 2 * rim) * CELL + margin + 6];
    this.svg.setAttribute("viewBox", `${corner - margin} ${corner - margin} ${wide} ${high}`);
    this.svg.style.maxWidth = `${(wide * WIDEST) / CELL}px`;
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

  /** What stands in a cell, in a word or two. */
  named(row, col) {
    const piece = this.view?.pieces.findLast((piece) => Math.round(piece.row) === row && Math.round(piece.col) === col);
    return piece?.label ?? "";
  }
}

function place(element, row, col, turn = 0) {
  const move = `translate(${(col - 0.5) * CELL} ${(row - 0.5) * CELL})`;
  element.setAttribute("transform", turn ? `${move} rotate(${turn})` : move);
}
