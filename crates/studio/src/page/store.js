// Data that survives a reload: the history of each level, the best results, the editor's draft, the
// settings.

function read(key, fallback, storage = "localStorage") {
  try {
    return JSON.parse(window[storage].getItem(key)) ?? fallback;
  } catch {
    return fallback;
  }
}

function write(key, value, storage = "localStorage") {
  try {
    window[storage].setItem(key, JSON.stringify(value));
  } catch {
    // Storage may be full or forbidden; then data lasts only until a reload.
  }
}

const MAX_LEVELS = 60; // levels whose history is saved

/** The history of a level: see history.js. */
export const acts = (level) => read("played", []).find((entry) => entry.level === level);

export function saveActs(entry) {
  const others = read("played", []).filter((other) => other.level !== entry.level);
  write("played", [entry, ...others].slice(0, MAX_LEVELS));
}

/** The lowest cost of the user's plans, by the text of the level. */
export const best = () => read("best", {});

export function saveBest(level, cost) {
  const all = best();
  write("best", { ...all, [level]: Math.min(cost, all[level] ?? Infinity) });
}

export const setting = (name, fallback) => read(`setting-${name}`, fallback);
export const saveSetting = (name, value) => write(`setting-${name}`, value);
export const draft = () => read("draft", null);
export const saveDraft = (value) => write("draft", value);
export const current = () => read("current", null);
export const saveCurrent = (value) => write("current", value);

/** The last addresses that this tab wrote. A reload may return to one that is not the very last. */
export const ownAddresses = () => read("traces", [], "sessionStorage");
export const saveOwnAddress = (address) => write("traces", [address, ...ownAddresses()].slice(0, 30), "sessionStorage");
