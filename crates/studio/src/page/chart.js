// A chart of step lines with axes. The colours can be distinguished with all common kinds of colour
// vision; beyond the number of colours, lines are dashed.

import { h, s } from "./dom.js";

const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#882255", "#5b3fa8"];
const DASHES = ["", "7 4", "2 3"];
const [WIDTH, HEIGHT, LEFT, BELOW] = [640, 240, 46, 34];

/** `xLabel` and `yLabel` name the axes. */
export function chart(title, xLabel, yLabel) {
  const svg = s("svg", { class: "chart", role: "img", "aria-label": title, viewBox: `0 0 ${WIDTH} ${HEIGHT}` });
  const element = h("figure", {}, svg, h("figcaption", { class: "sub" }, title));
  element.hidden = true;
  return { element, show, swatch };

  /** A sample of the line, for a legend. */
  function swatch(index) {
    const line = s("path", { d: "M1 5H25", ...stroke(index) });
    return s("svg", { class: "swatch", viewBox: "0 0 26 10", "aria-hidden": "true" }, line);
  }

  function show(runs) {
    element.hidden = false;
    const points = runs.flatMap((run) => run.line);
    const longest = roundUp(Math.max(1, ...points.map(([x]) => x))), highest = roundUp(Math.max(1, ...points.map(([, y]) => y)));
    const x = (value) => LEFT + (value / longest) * (WIDTH - LEFT - 12);
    const y = (value) => HEIGHT - BELOW - (value / highest) * (HEIGHT - BELOW - 26);
    const ticks = [0, 0.25, 0.5, 0.75, 1];
    svg.replaceChildren(
      ...ticks.flatMap((part) => [
        s("path", { class: "grid", d: `M${LEFT} ${y(part * highest)}H${WIDTH - 12}` }),
        s("text", { class: "tick", x: LEFT - 6, y: y(part * highest), "text-anchor": "end" }, short(part * highest)),
        s("text", { class: "tick", x: x(part * longest), y: HEIGHT - BELOW + 14, "text-anchor": "middle" }, short(part * longest)),
      ]),
      s("text", { class: "tick", x: (WIDTH + LEFT) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, xLabel),
      s("text", { class: "tick", x: 6, y: 10 }, yLabel),
      ...runs.flatMap((run, index) => line(run, index, x, y)),
    );
  }

  function line(run, index, x, y) {
    if (!run.line.length) return [];
    let [[, last]] = run.line, d = `M${x(run.line[0][0])} ${y(last)}`;
    for (const [at, bound] of run.line) {
      d += `H${x(at)}V${y(bound)}`;
      last = bound;
    }
    const [at] = run.line.at(-1);
    const end = s("circle", { cx: x(at), cy: y(last), r: run.proven ? 5 : 2.5, fill: COLOURS[index % COLOURS.length] });
    return [s("path", { d, ...stroke(index) }), end];
  }
}

function stroke(index) {
  const dash = DASHES[Math.floor(index / COLOURS.length) % DASHES.length];
  return { fill: "none", stroke: COLOURS[index % COLOURS.length], "stroke-width": 2, "stroke-dasharray": dash || null };
}

/** The next larger round number. */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 5, 8, 10].map((step) => step * power).find((step) => step >= value);
}

function short(value) {
  if (value >= 10 || Number.isInteger(value)) return String(Math.round(value * 10) / 10);
  return value.toFixed(value < 1 ? 2 : 1);
}
