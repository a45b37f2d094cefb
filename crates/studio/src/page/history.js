// The history of a level: moves and restarts. Undo and redo move along it, so a restart can be
// undone like a move; only a new move drops what was undone.

import * as store from "./store.js";

const RESTART = null;

export class History {
  constructor(level) {
    this.level = level;
    const saved = store.acts(level);
    this.acts = saved?.acts ?? [];
    this.at = Math.min(saved?.at ?? 0, this.acts.length);
  }

  /** The moves since the last restart. */
  moves() {
    const done = this.acts.slice(0, this.at);
    return done.slice(done.lastIndexOf(RESTART) + 1);
  }

  /** Appends moves or a restart, and drops what was undone. */
  add(...acts) {
    this.acts = [...this.acts.slice(0, this.at), ...acts];
    this.at = this.acts.length;
    this.save();
  }

  restart() {
    if (this.moves().length) this.add(RESTART);
  }

  /** Restarts and makes the moves of a link; undo leads back to the moves before. */
  replace(moves) {
    if (JSON.stringify(moves) === JSON.stringify(this.moves())) return;
    this.restart();
    this.add(...moves);
  }

  /** Empties the history, when saved moves are no longer legal. */
  clear() {
    this.acts = [];
    this.at = 0;
    this.save();
  }

  /** Undoes (negative) or redoes (positive) steps. */
  go(steps) {
    this.at = Math.max(0, Math.min(this.acts.length, this.at + steps));
    this.save();
  }

  get canUndo() {
    return this.at > 0;
  }

  get canRedo() {
    return this.at < this.acts.length;
  }

  save() {
    store.saveActs({ level: this.level, acts: this.acts, at: this.at });
  }
}
