// Lines that climb in steps, with axes. Colours are told apart by people with any of the common kinds of colour vision, and
// dashes help.

import { h, s } from "./dom.js";

const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#882255", "#5b3fa8"];
const DASHES = ["", "7 4", "2 3"];
const [WIDE, HIGH, LEFT, BELOW] = [640, 240, 46, 34];

export function chart(title, across, up) {
  const svg = s("svg", { class: "chart", role: "img", "aria-label": title, viewBox: `0 0 ${WIDE} ${HIGH}` });
  const element = h("figure", {}, svg, h("figcaption", { class: "sub" }, title));
  element.hidden = true;
  return { element, show, swatch };

  /** The line's own sign, for a legend. */
  function swatch(index) {
    const line = s("path", { d: "M1 5H25", ...stroke(index) });
    return s("svg", { class: "swatch", viewBox: "0 0 26 10", "aria-hidden": "true" }, line);
  }

  function show(runs) {
    element.hidden = false;
    const points = runs.flatMap((run) => run.line);
    const longest = nice(Math.max(1, ...points.map(([x]) => x))), highest = nice(Math.max(1, ...points.map(([, y]) => y)));
    const x = (value) => LEFT + (value / longest) * (WIDE - LEFT - 12);
    const y = (value) => HIGH - BELOW - (value / highest) * (HIGH - BELOW - 26);
    const ticks = [0, 0.25, 0.5, 0.75, 1];
    svg.replaceChildren(
      ...ticks.flatMap((part) => [
        s("path", { class: "grid", d: `M${LEFT} ${y(part * highest)}H${WIDE - 12}` }),
        s("text", { class: "tick", x: LEFT - 6, y: y(part * highest), "text-anchor": "end" }, short(part * highest)),
        s("text", { class: "tick", x: x(part * longest), y: HIGH - BELOW + 14, "text-anchor": "middle" }, short(part * longest)),
      ]),
      s("text", { class: "tick", x: (WIDE + LEFT) / 2, y: HIGH - 6, "text-anchor": "middle" }, across),
      s("text", { class: "tick", x: 6, y: 10 }, up),
      ...runs.flatMap((run, index) => line(run, index, x, y)),
    );
  }

  function line(run, index, x, y) {
    if (!run.line.length) return [];
    let [[, before]] = run.line, d = `M${x(run.line[0][0])} ${y(before)}`;
    for (const [at, bound] of run.line) {
      d += `H${x(at)}V${y(bound)}`;
      before = bound;
    }
    const [at] = run.line.at(-1);
    const end = s("circle", { cx: x(at), cy: y(before), r: run.proven ? 5 : 2.5, fill: COLOURS[index % COLOURS.length] });
    return [s("path", { d, ...stroke(index) }), end];
  }
}

function stroke(index) {
  const dash = DASHES[Math.floor(index / COLOURS.length) % DASHES.length];
  return { fill: "none", stroke: COLOURS[index % COLOURS.length], "stroke-width": 2, "stroke-dasharray": dash || null };
}

/** The next number that reads well. */
function nice(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 5, 8, 10].map((step) => step * power).find((step) => step >= value);
}

function short(value) {
  if (value >= 10 || Number.isInteger(value)) return String(Math.round(value * 10) / 10);
  return value.toFixed(value < 1 ? 2 : 1);
}
