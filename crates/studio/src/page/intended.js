// The designer's own solution, locked: when an edit admits a shorter one, the two are shown where they part.

import * as api from "./api.js";
import { Board } from "./board.js";
import { amount, button, h, tell } from "./dom.js";
import { History } from "./history.js";

const BOUND = 20; // seconds

export class Intended {
  /** `keep` gets the moves to be kept, or null. */
  constructor({ keep, measure }) {
    this.keep = keep;
    this.measure = measure;
    this.news = h("div", { role: "status" });
    this.text = h("textarea", {
      rows: 3,
      "data-field": "intended",
      "aria-label": "the intended solution, one move a line",
      placeholder: "one move a line",
      spellcheck: "false",
      onchange: () => this.typed(),
    });
    this.unlock = button("unlock", "Unlock", () => this.lock(null));
    this.element = h("div", {},
      h("p", { class: "sub" }, "Lock the plan that you have in mind, and hear when an edit admits a shorter one."),
      this.text,
      h("div", { class: "bar" },
        button("lock-played", "Lock what I played", () => this.played()),
        button("lock-best", "Lock a best plan", () => this.best()),
        this.unlock),
      this.news);
  }

  show(moves) {
    this.unlock.disabled = !moves;
    if (document.activeElement !== this.text) this.text.value = (moves ?? []).join("\n");
    if (!moves) this.news.replaceChildren();
  }

  async lock(moves) {
    this.keep(moves);
    await this.check(this.level, moves).catch((error) => tell(error.message));
  }

  typed() {
    const moves = this.text.value.split("\n").map((line) => line.trim()).filter(Boolean);
    return this.lock(moves.length ? moves : null);
  }

  /** What was last played on exactly this level. */
  played() {
    const moves = new History(this.level).moves();
    if (!moves.length) return tell("Nothing was played on this level yet: play it, then come back");
    return this.lock(moves);
  }

  async best() {
    try {
      const answer = await api.stream("/api/solve", { level: this.level, moves: [], seconds: BOUND });
      if (!answer.plan) return tell("There is no plan to lock");
      await this.lock(answer.plan);
    } catch (error) {
      tell(error.message);
    }
  }

  leave() {
    this.asking?.abort();
  }

  /** Holds the locked plan to a new level. */
  async check(level, moves) {
    this.level = level;
    this.show(moves);
    this.asking?.abort();
    if (!moves) return;
    const mine = (this.asking = new AbortController());
    const told = await api.ask("/api/intended", { level, moves }, mine.signal).catch((error) => {
      if (mine.signal.aborted) return null;
      throw error;
    });
    if (told) this.news.replaceChildren(...this.verdict(told));
  }

  verdict(told) {
    const line = (kind, text) => h("p", { class: kind, "data-lock": told.verdict }, text);
    const cost = amount(told.cost, this.measure() ?? "moves");
    if (told.verdict === "best") return [line("good", `✓ The intended solution, ${cost}, is still best.`)];
    if (told.verdict === "rejected") return [line("bad", `✗ The intended solution no longer works: ${told.message}`)];
    if (told.verdict === "open") {
      const known = `at least ${told.at_least} are needed`;
      return [line("warn", `The intended solution takes ${cost}. Whether there is a shorter one is not known; ${known}.`)];
    }
    const where = h("div", { class: "stage" });
    new Board(where, { label: "where the two part" }).show(told.view);
    const column = (name, moves) => {
      const list = h("ol", { class: "moves", start: told.common + 1 }, moves.map((move) => h("li", {}, move)));
      return h("div", {}, h("b", {}, name), moves.length ? list : h("p", { class: "sub" }, "is done here"));
    };
    return [
      line("bad", `✗ A shortcut: ${told.best} instead of ${cost}. After ${amount(told.common, "moves")}, here, the two part:`),
      where,
      h("div", { class: "pair" }, column("intended", told.intended), column("shorter", told.better)),
    ];
  }
}
