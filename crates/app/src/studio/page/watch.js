// Any plan as a film: found, played or pasted; with a bar to scrub, speeds, and the moves as text beside the board.

import * as api from "./api.js";
import { Board } from "./board.js";
import { download, h, tell } from "./dom.js";
import * as link from "./link.js";

export async function open(room, studio) {
  if (!studio.level) return studio.go("gallery");
  const level = studio.level;
  let moves = studio.linked ?? studio.plan ?? studio.moves ?? [], views = [], at = 0, running = null;
  studio.linked = null;
  const left = h("div"), board = new Board(left, { label: "the board at this move" });
  const bar = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "move", oninput: () => { stop(); jump(Number(bar.value)); } });
  const speed = h("select", { "aria-label": "speed" }, ...[["0.5", "half speed"], ["1", "normal"], ["2", "double"], ["4", "fast"]].map(([value, name]) => h("option", { value, selected: value === "1" }, name)));
  const list = h("ol", { class: "moves" }), note = h("p", { class: "sub", "aria-live": "polite" });
  const start = h("button", { class: "main", onclick: () => (running ? stop() : run()), "data-do": "run" }, "Play");
  const text = h("textarea", { rows: 6, "aria-label": "a plan, one move a line" });
  room.replaceChildren(h("h1", {}, "Watch"), note, h("div", { class: "split" },
    h("div", {}, left, bar, h("div", { class: "bar" }, h("button", { onclick: () => step(-1), "aria-label": "one move back" }, "◀"), start, h("button", { onclick: () => step(1), "aria-label": "one move on", "data-do": "step" }, "▶"), speed)),
    h("div", {}, h("div", { class: "panel" }, h("b", {}, "Plan"), list),
      h("div", { class: "panel" }, h("b", {}, "Another plan"), text, h("div", { class: "bar" }, h("button", { onclick: () => load(text.value) }, "Watch this"))),
      h("div", { class: "panel bar" }, h("button", { onclick: () => picture("gif") }, "GIF"), h("button", { onclick: () => picture("svg") }, "SVG of this board"),
        h("button", { onclick: () => download("plan.txt", moves.join("\n") + "\n", "text/plain") }, "Plan file"),
        h("button", { onclick: async () => { const address = await link.address("watch", { level, moves }); try { await navigator.clipboard.writeText(address); tell("The link is copied"); } catch { prompt("The link", address); } } }, "Copy link")))));
  studio.leave = stop;
  await load(moves.join("\n"));

  async function load(plan) {
    stop();
    try {
      const told = await api.ask("/api/plan", { level, plan });
      ({ moves, views } = told);
      note.textContent = (moves.length ? `${moves.length} moves` : "There is no plan yet: play, solve, or paste one") + (told.shortfall ? `; the goal is missed: ${told.shortfall}` : studio.planNote ? `; ${studio.planNote}` : "");
      studio.planNote = null;
      bar.max = moves.length;
      list.replaceChildren(...moves.map((move, index) => h("li", { onclick: () => { stop(); jump(index + 1); } }, move)));
      jump(0);
      studio.remember("watch", moves);
    } catch (error) { tell(error.message); }
  }

  function mark(to) {
    at = to;
    bar.value = at;
    [...list.children].forEach((item, index) => (index === at - 1 ? item.setAttribute("aria-current", "step") : item.removeAttribute("aria-current")));
    list.children[at - 1]?.scrollIntoView({ block: "nearest" });
  }
  function jump(to) { board.show(views[to]); mark(to); }
  async function forward() {
    const told = await api.ask("/api/board", { level, moves: moves.slice(0, at), try: moves[at] });
    mark(at + 1);
    await board.play(told.film);
  }
  async function step(by) {
    stop();
    if (by < 0 && at > 0) jump(at - 1);
    if (by > 0 && at < moves.length) await forward().catch((error) => tell(error.message));
  }
  async function run() {
    const mine = (running = {});
    start.textContent = "Pause";
    if (at === moves.length) jump(0);
    while (running === mine && at < moves.length) {
      await forward().catch((error) => { tell(error.message); stop(); });
      await new Promise((resume) => setTimeout(resume, 350 / Number(speed.value)));
    }
    if (running === mine) stop();
  }
  function stop() { running = null; start.textContent = "Play"; }
  async function picture(kind) {
    try { download(`plan.${kind}`, await api.fetchBlob("/api/picture", { level, moves: kind === "gif" ? moves : moves.slice(0, at), kind })); } catch (error) { tell(error.message); }
  }
}
