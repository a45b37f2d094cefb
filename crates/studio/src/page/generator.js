// A panel that generates random levels: size, par, seed, and the knobs of the game's generator.

import * as api from "./api.js";
import { button, h, notify } from "./dom.js";

const MAX_PAR = 4294967295;

/** `game()`, `size()` and `level()` are those of the edited level; `load` gets the generated level. */
export function generator({ game, size, level, load }) {
  const number = (name, label, more = {}) =>
    h("label", {}, label, h("input", { type: "number", min: 0, "data-field": name, ...more }));
  const seed = number("seed", "seed", { value: 1 });
  const low = number("par-from", "par from"), high = number("par-to", "to");
  const rows = number("rows", "rows", { min: 1, max: 60 }), cols = number("cols", "columns", { min: 1, max: 60 });
  const knobs = h("div", { class: "form" });
  const value = (field) => field.querySelector("input").value;
  let request;
  const act = button("generate", "Make one", generate);
  const cancel = button("stop-generate", "Stop", () => request?.abort());
  cancel.hidden = true;
  const element = h("div", {}, h("div", { class: "form" }, rows, cols, low, high, seed),
    h("details", {}, h("summary", {}, "Knobs"), knobs), h("div", { class: "bar" }, act, cancel));

  function show(game) {
    // The size for the generator does not include the frame that it adds.
    const frame = game.frame;
    const [height, width] = size();
    rows.querySelector("input").value = Math.max(1, height - frame);
    cols.querySelector("input").value = Math.max(1, width - frame);
    if (knobs.dataset.game === game.name) return;
    knobs.dataset.game = game.name;
    knobs.replaceChildren(...game.knobs.map((knob) => h("label", {}, knob.name,
      h("input", { type: "number", min: 0, value: knob.default, "data-knob": knob.name }), h("small", {}, knob.about))));
  }

  async function generate() {
    request?.abort();
    const mine = (request = new AbortController());
    const [from, to] = [value(low), value(high)];
    const body = {
      game: game().name,
      rows: Number(value(rows)),
      cols: Number(value(cols)),
      seed: Number(value(seed)),
      knobs: [...knobs.querySelectorAll("[data-knob]")].map((input) => [input.dataset.knob, Number(input.value)]),
      from: game().changes ? level() : null,
      par: from || to ? [Number(from || 0), Number(to || MAX_PAR)] : null,
    };
    cancel.hidden = false;
    notify("Looking for a level …");
    try {
      const answer = await api.stream("/api/new", body, null, mine.signal);
      seed.querySelector("input").value = answer.seed + 1;
      await load(answer.level);
      notify(`Found with seed ${answer.seed}${answer.source ? ": " + answer.source : ""}`);
    } catch (error) {
      notify(mine.signal.aborted ? "Stopped" : error.message);
    } finally {
      if (request === mine) cancel.hidden = true;
    }
  }

  return { element, show, close: () => request?.abort() };
}
