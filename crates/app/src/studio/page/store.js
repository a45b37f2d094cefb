// What survives a reload: the moves of every level, the draft of the editor, the switches.

const read = (key, otherwise) => {
  try { return JSON.parse(localStorage.getItem(key)) ?? otherwise; } catch { return otherwise; }
};
const write = (key, value) => {
  try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* a full store costs only the memory of this visit */ }
};

const MOST = 60;
export function game(level) {
  return read("games", []).find((game) => game.level === level) ?? { level, moves: [], undone: [] };
}
export function keepGame(game) {
  write("games", [game, ...read("games", []).filter((other) => other.level !== game.level)].slice(0, MOST));
}
export const setting = (name, otherwise) => read("setting-" + name, otherwise);
export const keepSetting = (name, value) => write("setting-" + name, value);
export const draft = () => read("draft", null);
export const keepDraft = (value) => write("draft", value);
export const current = () => read("current", null);
export const keepCurrent = (value) => write("current", value);
