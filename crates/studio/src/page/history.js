// What was done on a level: moves, and restarts among them. Undo and redo walk along it, so a restart can be undone like a
// move, and nothing is lost until something new is done.

import * as store from "./store.js";

const RESTART = null;

export class History {
  constructor(level) {
    this.level = level;
    const kept = store.acts(level);
    this.acts = kept?.acts ?? [];
    this.at = Math.min(kept?.at ?? 0, this.acts.length);
  }

  /** The moves since the last restart. */
  moves() {
    const done = this.acts.slice(0, this.at);
    return done.slice(done.lastIndexOf(RESTART) + 1);
  }

  do(...acts) {
    this.acts = [...this.acts.slice(0, this.at), ...acts];
    this.at = this.acts.length;
    this.keep();
  }

  restart() {
    if (this.moves().length) this.do(RESTART);
  }

  /** Takes over moves from a link; what was there before can be undone to. */
  adopt(moves) {
    if (JSON.stringify(moves) === JSON.stringify(this.moves())) return;
    this.restart();
    this.do(...moves);
  }

  /** Starts anew where what was kept no longer fits the rules. */
  forget() {
    this.acts = [];
    this.at = 0;
    this.keep();
  }

  travel(steps) {
    this.at = Math.max(0, Math.min(this.acts.length, this.at + steps));
    this.keep();
  }

  get canUndo() {
    return this.at > 0;
  }

  get canRedo() {
    return this.at < this.acts.length;
  }

  keep() {
    store.keepActs({ level: this.level, acts: this.acts, at: this.at });
  }
}
