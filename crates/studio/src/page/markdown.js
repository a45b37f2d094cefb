// The part of Markdown that the rules of the games use: headings, paragraphs, lists, tables, code.
// Text is never parsed as HTML.

import { h } from "./dom.js";

export function markdown(text) {
  const lines = text.split("\n"), blocks = [];
  let at = 0;
  const takeWhile = (test) => {
    const part = [];
    while (at < lines.length && test(lines[at])) part.push(lines[at++]);
    return part;
  };
  while (at < lines.length) {
    const line = lines[at];
    if (line.startsWith("```")) {
      at++;
      blocks.push(h("pre", { tabindex: "0" }, takeWhile((line) => !line.startsWith("```")).join("\n")));
      at++;
    } else if (/^#+ /.test(line)) {
      blocks.push(h(line.startsWith("# ") ? "h2" : "h3", {}, inline(line.replace(/^#+ /, ""))));
      at++;
    } else if (line.startsWith("|")) blocks.push(table(takeWhile((line) => line.startsWith("|"))));
    else if (BULLET.test(line)) blocks.push(list(takeWhile((line) => line.trim() && !line.startsWith("#"))));
    else if (!line.trim() || line.startsWith("![")) at++;
    else blocks.push(h("p", {}, inline(takeWhile((line) => line.trim() && !/^(#+ |\||```|!\[)/.test(line)).join(" "))));
  }
  return blocks;
}

const BULLET = /^\s*([-*]|\d+\.) /;

function list(lines) {
  const items = [];
  for (const line of lines) {
    if (BULLET.test(line)) items.push(line.replace(BULLET, ""));
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return h("ul", {}, items.map((item) => h("li", {}, inline(item))));
}

function table(lines) {
  const rows = lines.map((line) => line.slice(1, -1).split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|")));
  const shown = rows.filter((row) => !row.every((cell) => /^:?-+:?$/.test(cell)));
  const cells = (row, index) => row.map((cell) => h(index ? "td" : "th", {}, inline(cell)));
  return h("div", { class: "scroll" }, h("table", {}, shown.map((row, index) => h("tr", {}, cells(row, index)))));
}

function inline(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\([^)]*\)/g)) {
    const [whole, code, bold, italic, linked] = match;
    parts.push(text.slice(end, match.index));
    if (code) parts.push(h("code", {}, code));
    else if (bold) parts.push(h("b", {}, bold));
    else if (italic) parts.push(h("em", {}, italic));
    else parts.push(linked);
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
}
