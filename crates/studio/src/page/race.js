// Several routes run on one level, with live progress. A few run at a time and the others wait: a
// browser opens at most six connections to a server, and the machine has few cores. At the end all
// answers must agree.

import * as api from "./api.js";
import { chart } from "./chart.js";
import { button, h, notify, panel } from "./dom.js";

const PARALLEL = 4;
const CONSTRAINTS = "constraints (Essence Prime, Essence)";
const FAMILIES = { search: "native search", pddl: "planning (PDDL)", eprime: CONSTRAINTS, essence: CONSTRAINTS };
const COLUMNS = ["Status", "Cost", "At least", "States", "MB", "Seconds"];

export async function open(screen, studio, onLeave) {
  const level = studio.level;
  const { routes, title, game } = await api.post("/api/routes", { level });
  let runs = [];
  const seconds = h("input", { type: "number", value: 10, min: 1, max: 300, "data-field": "seconds" });
  const box = (route) => h("label", { title: route.about },
    h("input", { type: "checkbox", value: route.name, checked: route.chosen }),
    route.name,
    route.best ? h("small", {}, "best") : null);
  const choice = h("div", { class: "choice", role: "group", "aria-label": "routes" },
    groups(routes).map(([family, members]) => h("fieldset", {}, h("legend", {}, family), members.map(box))));
  const head = h("tr", {},
    h("th", {}, "Route"),
    COLUMNS.map((name, at) => h("th", { class: at ? "n" : null }, name)),
    h("th", {}, h("span", { class: "visually-hidden" }, "cancel")));
  const body = h("tbody");
  const verdict = h("p", { class: "badge", role: "status", "data-verdict": "" });
  const picture = chart("Lower bound over time", "seconds", "at least");
  const stop = button("cancel-all", "Cancel all", () => runs.forEach((run) => run.cancel()));

  screen.replaceChildren(
    h("h1", {}, title ?? game),
    h("p", { class: "sub" }, "Routes that solve this level, side by side. Each claims only what it proves, and all must agree."),
    panel(null, choice, h("div", { class: "bar" },
      h("label", {}, "seconds each", seconds),
      button("race", "Start", start, { kind: "main" }), stop)),
    h("div", { class: "scroll" }, h("table", { class: "race" }, h("thead", {}, head), body)),
    verdict,
    picture.element);
  onLeave(() => runs.forEach((run) => run.cancel()));

  async function start() {
    runs.forEach((run) => run.cancel());
    const names = [...choice.querySelectorAll("input:checked")].map((box) => box.value);
    if (!names.length) return notify("Choose at least one route");
    verdict.textContent = verdict.dataset.verdict = "";
    const mine = (runs = names.map((name, at) => prepare(name, at)));
    body.replaceChildren(...mine.map((run) => run.row));
    picture.show(mine);
    const waiting = [...mine];
    const worker = async () => {
      for (let run; (run = waiting.shift()); ) await run.go();
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
    if (runs === mine) conclude(mine.map((run) => run.answer).filter(Boolean));
  }

  function prepare(name, at) {
    const stop = new AbortController();
    const cells = COLUMNS.map((_, at) => h("td", { class: at ? "n" : null }));
    const set = (values) => values.forEach((value, at) => (cells[at].textContent = value ?? ""));
    const end = button("cancel", "✕", cancel, { kind: "quiet", label: `cancel ${name}` });
    const row = h("tr", { "data-route": name, "data-status": "waiting" },
      h("th", { scope: "row" }, picture.swatch(at), name), cells, h("td", {}, end));
    const run = { name, row, cancel, go, line: [], answer: null };
    set(["waiting"]);
    return run;

    function cancel() {
      stop.abort();
      if (row.dataset.status === "waiting") finish("cancelled", ["cancelled"]);
    }

    function finish(status, values) {
      row.dataset.status = status;
      end.disabled = true;
      set(values);
    }

    async function go() {
      if (stop.signal.aborted) return;
      row.dataset.status = "running";
      set(["starting"]);
      const began = performance.now(), limit = Number(seconds.value) || 10;
      const point = (bound) => {
        run.line.push([(performance.now() - began) / 1000, bound]);
        picture.show(runs);
      };
      point(0);
      try {
        const answer = await api.stream("/api/solve", { level, moves: [], route: name, seconds: limit }, (kind, progress) => {
          if (kind !== "progress") return;
          const states = progress.expanded.toLocaleString("en");
          set([`${progress.phase} ${progress.depth}`, progress.best, progress.at_least, states, progress.mb, progress.seconds.toFixed(1)]);
          point(progress.at_least);
        }, stop.signal);
        run.answer = answer;
        finish(answer.status, [
          answer.status + (answer.limit ? ` (${answer.limit})` : ""), answer.cost, answer.at_least,
          answer.expanded ? answer.expanded.toLocaleString("en") : "–", Math.round(answer.peak_mb), answer.seconds.toFixed(2)]);
        run.proven = answer.status === "optimal" || answer.status === "unsolvable";
        point(answer.at_least ?? run.line.at(-1)[1]);
      } catch (error) {
        if (stop.signal.aborted) finish("cancelled", ["cancelled"]);
        else finish("failed", [error.message]);
      }
    }
  }

  /**
   * Compares the answers: no plan costs less than a bound, and no route has a plan if one proved
   * that there is none.
   */
  function conclude(answers) {
    const proven = answers.filter(({ status }) => status === "optimal" || status === "unsolvable");
    const costs = answers.map(({ cost }) => cost).filter((cost) => cost !== null && cost !== undefined);
    const best = Math.min(...costs);
    const none = answers.some(({ status }) => status === "unsolvable");
    const bounds = answers.filter(({ status }) => status !== "unsolvable").map((answer) => answer.at_least ?? 0);
    const conflict = (none && costs.length > 0) || Math.max(0, ...bounds) > best;
    verdict.dataset.verdict = conflict ? "disagree" : proven.length ? "agree" : "open";
    verdict.className = `badge ${conflict ? "bad" : proven.length ? "good" : ""}`;
    if (conflict) verdict.textContent = "The routes disagree: that is a defect of ploy. Please report this level.";
    else if (!proven.length) verdict.textContent = "No route found a proof; give them more time.";
    else {
      const answer = none ? "no plan exists" : `${best} is best`;
      verdict.textContent = `${proven.length} of ${answers.length} found a proof, and all agree: ${answer}.`;
    }
  }
}

/** Routes by family. The best route is chosen at first, and one of each other family. */
function groups(routes) {
  const family = (name) => FAMILIES[name.split(":")[0]] ?? name;
  const grouped = [...Map.groupBy(routes, (route) => family(route.name))];
  for (const [, members] of grouped) {
    if (!members.some((route) => route.best)) members[0].chosen = true;
    for (const route of members) route.chosen ||= route.best;
  }
  return grouped;
}
