// The way through the studio: the fragment of the address names a room, and may carry a level with moves.

import * as api from "./api.js";
import { tell } from "./dom.js";
import * as edit from "./edit.js";
import * as gallery from "./gallery.js";
import * as learn from "./learn.js";
import * as link from "./link.js";
import * as play from "./play.js";
import * as race from "./race.js";
import * as store from "./store.js";
import * as watch from "./watch.js";

const rooms = { gallery, play, watch, edit, race, learn };
const room = document.getElementById("room");
let levels;

const studio = {
  level: store.current(),
  moves: [],
  gallery: () => (levels ??= api.levels()),
  go(name) { location.hash === `#${name}` ? enter() : (location.hash = name); },
  play(level) {
    studio.level = level;
    studio.plan = null;
    store.keepCurrent(level);
    studio.go("play");
  },
  /** The address follows the moves, so that it can be copied at any time. */
  async remember(name, moves) {
    const text = await link.encode({ level: studio.level, moves });
    if (location.hash.slice(1).split("/")[0] === name) history.replaceState(null, "", `#${name}/${text}`);
  },
};

async function enter() {
  studio.leave?.();
  studio.leave = null;
  const [name, carried] = location.hash.slice(1).split("/");
  const chosen = rooms[name] ? name : "gallery";
  for (const item of document.querySelectorAll("nav a")) item.dataset.room === chosen ? item.setAttribute("aria-current", "page") : item.removeAttribute("aria-current");
  try {
    if (carried) {
      const state = await link.decode(carried);
      studio.level = state.level;
      studio.linked = state.moves;
      store.keepCurrent(state.level);
    }
    await rooms[chosen].open(room, studio);
    document.body.dataset.room = chosen;
  } catch (error) {
    tell(error.message);
    if (chosen !== "gallery") studio.go("gallery");
  }
}

addEventListener("hashchange", enter);
enter();
