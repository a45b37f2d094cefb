// The board of the editor. A cell is identified by its text alone, and the server sends a drawing
// for each text, so a board that is not a level yet can be shown as well.

import { CELL } from "./board.js";
import { announce, drawing, s } from "./dom.js";

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const MAX_CELL = 60; // pixels of a cell, at most

export class Canvas {
  /** `paint` gets row and column from 0; `type` also the character that was typed there. */
  constructor({ paint, type }) {
    Object.assign(this, { paint, type });
    this.cursor = [0, 0];
    this.looks = {};
    this.tiles = s("g");
    this.frame = s("rect", { class: "cursor", width: CELL, height: CELL, rx: 4 });
    const attributes = { class: "board canvas", role: "grid", tabindex: "0", "aria-label": "cells to paint" };
    this.svg = s("svg", attributes, this.tiles, this.frame);
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("pointerdown", (event) => {
      this.svg.setPointerCapture(event.pointerId);
      this.painting = true;
      this.paintAt(event);
    });
    this.svg.addEventListener("pointermove", (event) => this.painting && this.paintAt(event));
    for (const end of ["pointerup", "pointercancel"]) this.svg.addEventListener(end, () => (this.painting = false));
  }

  show(cells, looks) {
    Object.assign(this.looks, looks);
    this.cells = cells;
    const columns = Math.max(...cells.map((row) => row.length));
    this.svg.setAttribute("viewBox", `-3 -3 ${columns * CELL + 6} ${cells.length * CELL + 6}`);
    this.svg.style.maxWidth = `${columns * MAX_CELL}px`;
    this.tiles.replaceChildren(...cells.map((row, y) => s("g", { role: "row" }, row.map((text, x) => this.tile(text, y, x)))));
    this.moveCursor(Math.min(this.cursor[0], cells.length - 1), Math.min(this.cursor[1], columns - 1));
  }

  tile(text, y, x) {
    const label = `row ${y + 1} column ${x + 1}: ${text}`;
    const group = s("g", {
      role: "gridcell",
      id: `tile-${y}-${x}`,
      transform: `translate(${x * CELL} ${y * CELL})`,
      "aria-label": label,
      "data-cell": `${y},${x}`,
      "data-text": text,
    });
    group.append(s("rect", { class: "blank", width: CELL, height: CELL }));
    if (this.looks[text]) {
      const [look] = drawing(this.looks[text]);
      look.setAttribute("width", CELL);
      look.setAttribute("height", CELL);
      group.append(look);
    } else group.append(s("text", { x: CELL / 2, y: CELL / 2 }, text));
    return group;
  }

  /** Changes one cell without drawing the others again. */
  set(y, x, text) {
    this.cells[y][x] = text;
    this.tiles.children[y].children[x].replaceWith(this.tile(text, y, x));
  }

  moveCursor(y, x) {
    this.cursor = [y, x];
    this.frame.setAttribute("x", x * CELL);
    this.frame.setAttribute("y", y * CELL);
    this.svg.setAttribute("aria-activedescendant", `tile-${y}-${x}`);
  }

  paintAt(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const [y, x] = [Math.floor(point.y / CELL), Math.floor(point.x / CELL)];
    if (this.cells[y]?.[x] === undefined) return;
    const same = this.lastPointer === event.pointerId && this.cursor[0] === y && this.cursor[1] === x;
    if (event.type === "pointermove" && same) return;
    this.lastPointer = event.pointerId;
    this.moveCursor(y, x);
    this.paint(y, x);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [y, x] = this.cursor, step = STEPS[event.key];
    if (step) {
      const [down, right] = [y + step[0], x + step[1]];
      if (this.cells[down]?.[right] !== undefined) this.moveCursor(down, right);
      announce(this.tiles.children[this.cursor[0]].children[this.cursor[1]].getAttribute("aria-label"));
    } else if (event.key === "Enter" || event.key === " ") this.paint(y, x);
    else if (event.key.length !== 1 || !this.type(y, x, event.key)) return;
    event.preventDefault();
  }
}
