// The designer's intended plan. After an edit that allows a shorter plan, both are shown from where
// they differ.

import * as api from "./api.js";
import { Board } from "./board.js";
import { amount, button, h, notify } from "./dom.js";
import { History } from "./history.js";

const TIME = 20; // seconds for a solver

export class Intended {
  /** `save` gets the moves to save, or null; `measure()` names the measure of the level. */
  constructor({ save, measure }) {
    this.save = save;
    this.measure = measure;
    this.result = h("div", { role: "status" });
    this.text = h("textarea", {
      rows: 3,
      "data-field": "intended",
      "aria-label": "the intended plan, one move a line",
      placeholder: "one move a line",
      spellcheck: "false",
      onchange: () => this.typed(),
    });
    this.unlock = button("unlock", "Unlock", () => this.lock(null));
    this.element = h("div", {},
      h("p", { class: "sub" }, "Lock the plan that you have in mind, and see when an edit allows a shorter one."),
      this.text,
      h("div", { class: "bar" },
        button("lock-played", "Lock what I played", () => this.lockPlayed()),
        button("lock-best", "Lock a best plan", () => this.lockBest()),
        this.unlock),
      this.result);
  }

  show(moves) {
    this.unlock.disabled = !moves;
    if (document.activeElement !== this.text) this.text.value = (moves ?? []).join("\n");
    if (!moves) this.result.replaceChildren();
  }

  async lock(moves) {
    this.save(moves);
    await this.check(this.level, moves).catch((error) => notify(error.message));
  }

  typed() {
    const moves = this.text.value.split("\n").map((line) => line.trim()).filter(Boolean);
    return this.lock(moves.length ? moves : null);
  }

  /** Locks the moves that were last played on exactly this level. */
  lockPlayed() {
    const moves = new History(this.level).moves();
    if (!moves.length) return notify("This level has not been played yet: play it, then come back");
    return this.lock(moves);
  }

  /** Locks a plan of a solver. */
  async lockBest() {
    try {
      const answer = await api.stream("/api/solve", { level: this.level, moves: [], seconds: TIME });
      if (!answer.plan) return notify("There is no plan to lock");
      await this.lock(answer.plan);
    } catch (error) {
      notify(error.message);
    }
  }

  close() {
    this.request?.abort();
  }

  /** Compares the locked plan with the best plan of a changed level. */
  async check(level, moves) {
    this.level = level;
    this.show(moves);
    this.request?.abort();
    if (!moves) return;
    const request = (this.request = new AbortController());
    const answer = await api.post("/api/intended", { level, moves }, request.signal).catch((error) => {
      if (request.signal.aborted) return null;
      throw error;
    });
    if (answer) this.result.replaceChildren(...this.describe(answer));
  }

  describe(answer) {
    const line = (kind, text) => h("p", { class: kind, "data-lock": answer.verdict }, text);
    const cost = amount(answer.cost, this.measure() ?? "moves");
    if (answer.verdict === "best") return [line("good", `✓ The intended plan, ${cost}, is still best.`)];
    if (answer.verdict === "rejected") return [line("bad", `✗ The intended plan no longer works: ${answer.message}`)];
    if (answer.verdict === "open") {
      const known = `at least ${answer.at_least} are needed`;
      return [line("warn", `The intended plan takes ${cost}. Whether there is a shorter one is not known; ${known}.`)];
    }
    const where = h("div", { class: "stage" });
    new Board(where, { label: "where the plans differ" }).show(answer.view);
    const column = (name, moves) => {
      const list = h("ol", { class: "moves", start: answer.common + 1 }, moves.map((move) => h("li", {}, move)));
      return h("div", {}, h("b", {}, name), moves.length ? list : h("p", { class: "sub" }, "ends here"));
    };
    return [
      line("bad", `✗ A shortcut: ${answer.best} instead of ${cost}. After ${amount(answer.common, "moves")}, here, the plans differ:`),
      where,
      h("div", { class: "pair" }, column("intended", answer.intended), column("shorter", answer.better)),
    ];
  }
}
