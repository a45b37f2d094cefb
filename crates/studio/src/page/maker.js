// A panel for random levels: the knobs of the game's generator, and the par that is wanted.

import * as api from "./api.js";
import { button, h, tell } from "./dom.js";

const MOST = 4294967295;

/** `game()` and `size()` are the editor's; `take` gets the level. */
export function maker({ game, size, take }) {
  const number = (name, label, more = {}) =>
    h("label", {}, label, h("input", { type: "number", min: 0, "data-field": name, ...more }));
  const seed = number("seed", "seed", { value: 1 });
  const low = number("par-from", "par from"), high = number("par-to", "to");
  const rows = number("rows", "rows", { min: 1, max: 60 }), cols = number("cols", "columns", { min: 1, max: 60 });
  const knobs = h("div", { class: "form" });
  const value = (field) => field.querySelector("input").value;
  let asking;
  const act = button("generate", "Make one", generate);
  const cancel = button("stop-generate", "Stop", () => asking?.abort());
  cancel.hidden = true;
  const element = h("div", {}, h("div", { class: "form" }, rows, cols, low, high, seed),
    h("details", {}, h("summary", {}, "Knobs"), knobs), h("div", { class: "bar" }, act, cancel));

  function show(game) {
    // The size that the generator takes does not count a frame of walls.
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
    asking?.abort();
    const mine = (asking = new AbortController());
    const [from, to] = [value(low), value(high)];
    const body = {
      game: game().name,
      rows: Number(value(rows)),
      cols: Number(value(cols)),
      seed: Number(value(seed)),
      knobs: [...knobs.querySelectorAll("[data-knob]")].map((input) => [input.dataset.knob, Number(input.value)]),
      par: from || to ? [Number(from || 0), Number(to || MOST)] : null,
    };
    cancel.hidden = false;
    tell("Looking for a level …");
    try {
      const told = await api.stream("/api/new", body, null, mine.signal);
      seed.querySelector("input").value = told.seed + 1;
      await take(told.level);
      tell(`Found with seed ${told.seed}${told.source ? ": " + told.source : ""}`);
    } catch (error) {
      tell(mine.signal.aborted ? "Stopped" : error.message);
    } finally {
      if (asking === mine) cancel.hidden = true;
    }
  }

  return { element, show, leave: () => asking?.abort() };
}
