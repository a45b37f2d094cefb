// A plan as a film: found, played or pasted; with a bar to scrub, speeds, and the moves as text
// beside the board.

import * as api from "./api.js";
import { Board } from "./board.js";
import { amount, button, download, h, notify, panel, share } from "./dom.js";
import { History } from "./history.js";
import * as link from "./link.js";

const SPEEDS = [
  ["0.25", "¼ speed"], ["0.5", "½ speed"], ["1", "normal"], ["2", "2× speed"], ["4", "4× speed"], ["16", "16× speed"],
];
const PAUSE = 350; // milliseconds between moves

export async function open(screen, studio, onLeave) {
  const level = studio.level;
  let moves = studio.moves ?? new History(level).moves();
  let views = [], at = 0, running = null, measure = "moves";
  const givenNote = studio.note;
  studio.moves = studio.note = null;

  const heading = h("h1", {}, "Watch"), note = h("p", { class: "sub", "aria-live": "polite", "data-note": "" });
  const stage = h("div", { class: "stage" }), board = new Board(stage, { label: "the board at this move" });
  const scrub = () => stopAndShow(Number(bar.value));
  const range = { type: "range", min: 0, max: 0, value: 0, "aria-label": "move number", "data-field": "scrub" };
  const bar = h("input", { ...range, oninput: scrub });
  const count = h("output", { class: "sub", "data-at": "" });
  const speed = h("select", { "aria-label": "speed", "data-field": "speed" },
    SPEEDS.map(([value, name]) => h("option", { value }, name)));
  speed.value = "1";
  const list = h("ol", { class: "moves", "aria-label": "the plan" });
  const start = button("run", "Play", () => (running ? stop() : run()), { key: "Space", kind: "main" });
  const text = h("textarea", { rows: 5, "aria-label": "a plan, one move a line", "data-field": "plan", spellcheck: "false" });

  screen.replaceChildren(heading, note, h("div", { class: "split" },
    h("div", {}, stage,
      h("div", { class: "scrub" }, bar, count),
      h("div", { class: "bar" },
        button("first", "|◀", () => stopAndShow(0), { label: "to the start" }),
        button("back", "◀", () => step(-1), { key: "←", label: "one move back" }),
        start,
        button("step", "▶", () => step(1), { key: "→", label: "one move forward" }),
        button("last", "▶|", () => stopAndShow(moves.length), { label: "to the end" }),
        speed)),
    h("div", {},
      panel("Plan", list),
      panel("Another plan",
        h("p", { class: "sub" }, "Paste moves, or let a solver look for a best plan."),
        text,
        h("div", { class: "bar" },
          button("load", "Watch this", () => load(text.value)),
          button("solve", "Find a best plan", solve))),
      panel("Take it with you", h("div", { class: "bar" },
        button("gif", "GIF", () => picture("gif")),
        button("svg", "SVG of this board", () => picture("svg")),
        button("plan", "Plan file", () => download("plan.txt", `${moves.join("\n")}\n`, "text/plain")),
        button("share", "Copy link", async () => share(await link.address("watch", { level, moves }))))))));

  document.addEventListener("keydown", keys);
  onLeave(() => {
    stop();
    board.film = null;
    document.removeEventListener("keydown", keys);
  });
  await load(moves.join("\n"), givenNote);

  function keys(event) {
    if (event.target.matches("textarea, select, input") || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = {
      ArrowLeft: () => step(-1),
      ArrowRight: () => step(1),
      Home: () => stopAndShow(0),
      End: () => stopAndShow(moves.length),
      " ": () => start.click(),
    }[event.key];
    if (!act || (event.key === " " && event.target.matches("button, a"))) return;
    event.preventDefault();
    act();
  }

  async function load(plan, about) {
    stop();
    try {
      const answer = await api.post("/api/plan", { level, plan });
      ({ moves, views, measure } = answer);
      heading.textContent = answer.title ?? answer.game;
      note.textContent = summary(answer, about);
      note.className = answer.shortfall && moves.length ? "sub warn" : "sub";
      bar.max = moves.length;
      const moveButton = (move, index) => h("li", {}, button("jump", move, () => stopAndShow(index + 1), { kind: "quiet" }));
      list.replaceChildren(...moves.map(moveButton));
      showMove(0);
      studio.updateAddress("watch", level, moves);
    } catch (error) {
      notify(error.message);
    }
  }

  function summary({ cost, shortfall, par }, about) {
    if (!moves.length) return "There is no plan yet: play, paste one, or let a solver find one.";
    if (shortfall) return `${amount(moves.length, "moves")}, and the goal is missed: ${shortfall}`;
    const known = about ?? (par && par !== "unsolvable" ? `par is ${par}` : null);
    return [`Reaches the goal with ${amount(cost, measure)}`, known].filter(Boolean).join("; ");
  }

  /** Marks a move in the bar and the list. */
  function mark(to) {
    at = to;
    bar.value = at;
    bar.setAttribute("aria-valuetext", at ? `move ${at}: ${moves[at - 1]}` : "the start");
    count.textContent = `${at} of ${moves.length}`;
    [...list.children].forEach((item, index) => {
      if (index === at - 1) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    });
    const here = list.children[at - 1];
    if (here) list.scrollTop = here.offsetTop - list.offsetTop - list.clientHeight / 2;
  }

  function showMove(to) {
    board.show(views[to]);
    mark(to);
  }

  function stopAndShow(to) {
    stop();
    showMove(to);
  }

  async function forward() {
    const answer = await api.post("/api/board", { level, moves: moves.slice(0, at), try: moves[at] });
    mark(at + 1);
    await board.play(answer.film, Number(speed.value));
  }

  async function step(by) {
    stop();
    board.finish();
    if (by < 0 && at > 0) showMove(at - 1);
    if (by > 0 && at < moves.length) await forward().catch((error) => notify(error.message));
  }

  async function run() {
    const mine = (running = {});
    start.firstChild.textContent = "Pause";
    if (at === moves.length) showMove(0);
    while (running === mine && at < moves.length) {
      try {
        await forward();
      } catch (error) {
        notify(error.message);
        break;
      }
      await new Promise((resume) => setTimeout(resume, PAUSE / Number(speed.value)));
    }
    if (running === mine) stop();
  }

  function stop() {
    running = null;
    start.firstChild.textContent = "Play";
  }

  async function solve() {
    notify("Solving …");
    try {
      const answer = await api.stream("/api/solve", { level, moves: [], seconds: 30 });
      if (answer.status === "unsolvable") return notify("It is proven that no plan exists");
      if (!answer.plan) return notify("No plan was found in time");
      await load(answer.plan.join("\n"), answer.status === "optimal" ? "proven best" : `at least ${answer.at_least} are needed`);
    } catch (error) {
      notify(error.message);
    }
  }

  async function picture(kind) {
    try {
      const shown = kind === "gif" ? moves : moves.slice(0, at);
      download(`plan.${kind}`, await api.fetchBlob("/api/picture", { level, moves: shown, kind }));
    } catch (error) {
      notify(error.message);
    }
  }
}
