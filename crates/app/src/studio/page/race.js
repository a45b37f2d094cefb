// Routes side by side on one level, live; and the level in the other languages.

import * as api from "./api.js";
import { download, h, s, tell } from "./dom.js";

const COLOURS = ["#1f77b4", "#d95f02", "#2a9d57", "#c2357b", "#7a5fc0", "#8c6d1f", "#17a2a2", "#e4572e", "#5b6770", "#b8860b"];

export async function open(room, studio) {
  if (!studio.level) return studio.go("gallery");
  const level = studio.level;
  const { routes } = await api.ask("/api/routes", { level });
  const seconds = h("input", { type: "number", value: 10, min: 1, max: 300, "aria-label": "seconds for each" });
  const choice = h("div", { class: "bar" }, routes.map((route) => h("label", { title: route.about },
    h("input", { type: "checkbox", value: route.name, checked: route.best || (/astar|pddl|eprime/.test(route.name) && !/kissat|lazy/.test(route.name)) }), route.name)));
  const body = h("tbody"), verdict = h("p", { class: "badge", "aria-live": "polite" }), chart = s("svg", { class: "chart", role: "img", "aria-label": "lower bounds over time", viewBox: "0 0 600 220", preserveAspectRatio: "none" });
  const models = h("div");
  let runs = [];
  room.replaceChildren(h("h1", {}, "Race"), h("p", { class: "sub" }, "Ways to solve this level, side by side. They must agree."), choice,
    h("div", { class: "bar" }, h("label", {}, "seconds each ", seconds), h("button", { class: "main", onclick: start, "data-do": "race" }, "Start"), h("button", { onclick: () => runs.forEach((run) => run.cancel()), "data-do": "cancel-all" }, "Cancel all")),
    h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["Route", "Status", "Cost", "At least", "States", "MB", "Seconds", ""].map((name, at) => h("th", { class: at > 1 && at < 7 ? "n" : "" }, name)))), body)),
    verdict, chart, h("h2", {}, "Models of this level"), models);
  studio.leave = () => runs.forEach((run) => run.cancel());
  showModels();

  async function start() {
    runs.forEach((run) => run.cancel());
    const names = [...choice.querySelectorAll("input:checked")].map((box) => box.value);
    verdict.textContent = "";
    runs = names.map((name, at) => begin(name, COLOURS[at % COLOURS.length]));
    body.replaceChildren(...runs.map((run) => run.row));
    const mine = runs;
    await Promise.all(mine.map((run) => run.done));
    if (runs === mine) conclude(mine.map((run) => run.answer).filter(Boolean));
  }

  function begin(name, colour) {
    const cells = ["waiting", "", "", "", "", ""].map((text, at) => h("td", { class: at ? "n" : "" }, text));
    const stop = new AbortController(), cancel = () => stop.abort();
    const swatch = h("span", {}, "■ ");
    swatch.style.color = colour;
    const row = h("tr", { "data-route": name }, h("td", {}, swatch, name), ...cells, h("td", {}, h("button", { onclick: cancel, "aria-label": `cancel ${name}` }, "✕")));
    const run = { row, cancel, line: [[0, 0]], colour, began: performance.now() };
    const set = (values) => values.forEach((value, at) => value !== undefined && value !== null && (cells[at].textContent = value));
    const now = () => (performance.now() - run.began) / 1000;
    run.done = api.stream("/api/solve", { level, moves: [], route: name, seconds: Number(seconds.value) }, (kind, news) => {
      if (kind !== "progress") return;
      set([`${news.phase} ${news.depth}`, news.best ?? "", news.at_least, news.expanded.toLocaleString(), news.mb, news.seconds.toFixed(1)]);
      run.line.push([now(), news.at_least]);
      plot();
    }, stop.signal).then((answer) => {
      run.answer = { ...answer, route: name };
      set([answer.status + (answer.limit ? ` (${answer.limit})` : ""), answer.cost ?? "–", answer.at_least ?? "–", answer.expanded.toLocaleString(), Math.round(answer.peak_mb), answer.seconds.toFixed(2)]);
      run.line.push([now(), answer.at_least ?? 0]);
      plot();
    }).catch((error) => set([stop.signal.aborted ? "cancelled" : error.message]));
    return run;
  }

  function conclude(answers) {
    const proven = answers.filter((answer) => answer.status === "optimal" || answer.status === "unsolvable");
    const plans = answers.filter((answer) => answer.cost !== null), best = Math.min(...plans.map((answer) => answer.cost));
    const bound = Math.max(...answers.filter((answer) => answer.status !== "unsolvable").map((answer) => answer.at_least ?? 0));
    const none = answers.find((answer) => answer.status === "unsolvable");
    const quarrel = (none && plans.length) || bound > best || answers.some((answer) => answer.status === "error");
    verdict.className = `badge ${quarrel ? "bad" : "good"}`;
    verdict.dataset.verdict = quarrel ? "disagree" : "agree";
    verdict.textContent = quarrel ? "They disagree: that is a defect, please report this level" : `${proven.length} of ${answers.length} have a proof, and all agree`;
  }

  function plot() {
    const longest = Math.max(1, ...runs.flatMap((run) => run.line.map(([x]) => x))), highest = Math.max(1, ...runs.flatMap((run) => run.line.map(([, y]) => y)));
    chart.replaceChildren(...runs.map((run) => {
      let path = "", before = 0;
      for (const [x, y] of run.line) { path += `${path ? "L" : "M"}${(x / longest) * 590 + 5} ${215 - (before / highest) * 200}L${(x / longest) * 590 + 5} ${215 - (y / highest) * 200}`; before = y; }
      return s("path", { d: path, stroke: run.colour });
    }));
  }

  async function showModels() {
    try {
      const told = await api.ask("/api/models", { level });
      const view = h("div");
      const show = (model) => view.replaceChildren(...(model.unfit ? [h("p", { class: "warn" }, model.unfit)] : model.files.flatMap((file) => [
        h("div", { class: "bar" }, h("b", {}, file.name), h("button", { onclick: () => download(file.name, file.text, "text/plain") }, "Download")), h("pre", {}, highlight(file.text))])));
      models.replaceChildren(h("div", { class: "bar" }, told.models.map((model) => h("button", { onclick: () => show(model), "data-model": model.name }, model.name))), view);
      if (!told.models.length) models.replaceChildren(h("p", { class: "sub" }, "This game has none."));
    } catch (error) { tell(error.message); }
  }
}

const WORDS = /([;$][^\n]*)|(\b(?:define|domain|problem|given|letting|find|such|that|forAll|exists|sum|matrix|indexed|by|of|be|int|bool|minimising|maximising|and|or|not|when|forall|imply|increase)\b|:[a-z-]+)|(\b\d+\b)/g;

/** Comments, words of the language, numbers. */
function highlight(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(WORDS)) {
    parts.push(text.slice(end, match.index), h("span", { class: match[1] ? "cm" : match[2] ? "kw" : "nm" }, match[0]));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}
