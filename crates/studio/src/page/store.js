// What survives a reload: the moves of every level, the best results, the draft of the editor, the switches.

function read(key, otherwise, where = "localStorage") {
  try {
    return JSON.parse(window[where].getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function write(key, value, where = "localStorage") {
  try {
    window[where].setItem(key, JSON.stringify(value));
  } catch {
    // A full or forbidden store costs only the memory of this visit.
  }
}

const MOST = 60;

/** What was done on a level: see history.js. */
export const acts = (level) => read("played", []).find((game) => game.level === level);

export function keepActs(game) {
  const others = read("played", []).filter((other) => other.level !== game.level);
  write("played", [game, ...others].slice(0, MOST));
}

/** The least cost that a level was solved with. */
export const best = () => read("best", {});

export function keepBest(level, cost) {
  const all = best();
  write("best", { ...all, [level]: Math.min(cost, all[level] ?? Infinity) });
}

export const setting = (name, otherwise) => read(`setting-${name}`, otherwise);
export const keepSetting = (name, value) => write(`setting-${name}`, value);
export const draft = () => read("draft", null);
export const keepDraft = (value) => write("draft", value);
export const current = () => read("current", null);
export const keepCurrent = (value) => write("current", value);

/** The last addresses that this tab wrote itself. A reload may come back to one that is not quite the last. */
export const traces = () => read("traces", [], "sessionStorage");
export const keepTrace = (address) => write("traces", [address, ...traces()].slice(0, 30), "sessionStorage");
