// The way through the studio. The fragment of the address names a room, and may carry a level with moves:
// #play/eJxT…. Everything else that a room needs is in `studio`.

import * as api from "./api.js";
import { h, tell } from "./dom.js";
import * as edit from "./edit.js";
import * as gallery from "./gallery.js";
import * as learn from "./learn.js";
import * as link from "./link.js";
import * as models from "./models.js";
import * as play from "./play.js";
import * as race from "./race.js";
import * as store from "./store.js";
import * as theme from "./theme.js";
import * as watch from "./watch.js";

const rooms = { gallery, play, watch, edit, race, models, learn };
const main = document.getElementById("room");
let levels;
let trouble = ""; // what went wrong in another room

const studio = {
  /** The level in hand, as text. */
  level: store.current(),
  /** The moves to show in the room that opens next: from a link, or found by a solver. */
  moves: null,
  note: null,

  /** All levels and games; asked for once, and again only where that failed. */
  gallery() {
    levels ??= api.levels();
    levels.catch(() => (levels = null));
    return levels;
  },

  go(room) {
    if (location.hash === `#${room}`) enter();
    else location.hash = room;
  },

  take(level) {
    studio.level = level;
    store.keepCurrent(level);
  },

  /** The address follows the moves, so that it can be copied at any time. */
  async remember(room, level, moves) {
    const text = await link.encode({ level, moves });
    // Meanwhile the visitor may have gone on to another room or level.
    if (studio.level !== level || roomOf(location.hash) !== room) return;
    history.replaceState(null, "", `#${room}/${text}`);
    store.keepTrace(location.hash);
  },
};

const roomOf = (hash) => hash.slice(1).split("/")[0];

let visit = null;

async function enter() {
  const [name, carried] = location.hash.slice(1).split("/");
  if (name === "room") return main.focus(); // the link for those who skip the navigation
  const room = rooms[name] ? name : "gallery";
  // Whoever comes late, because a server was slow, finds a visit that is over: its host is no longer on the page.
  const mine = { host: h("div"), over: () => {} };
  visit?.over();
  visit = mine;
  const leave = (act) => {
    if (visit === mine) mine.over = act;
    else act();
  };
  mark(room);
  tell(trouble);
  trouble = "";
  try {
    if (carried) {
      const state = await link.decode(carried);
      studio.take(state.level);
      // Our own traces may be a move behind what is stored; a link of somebody else is what they meant.
      const own = room === "play" && store.traces().includes(location.hash);
      studio.moves = own ? null : state.moves;
    }
    studio.level ??= (await studio.gallery()).levels[0].text;
    if (visit !== mine) return;
    main.replaceChildren(mine.host);
    await rooms[room].open(mine.host, studio, leave);
    if (visit === mine) document.body.dataset.room = room;
  } catch (error) {
    if (visit !== mine) return;
    if (room === "gallery") return tell(error.message);
    trouble = error.message;
    studio.go("gallery");
  }
}

function mark(room) {
  delete document.body.dataset.room;
  for (const item of document.querySelectorAll("nav a")) {
    if (item.dataset.room === room) item.setAttribute("aria-current", "page");
    else item.removeAttribute("aria-current");
  }
  document.title = `${room[0].toUpperCase()}${room.slice(1)} · Ployglot studio`;
}

theme.open(document.getElementById("theme"));
addEventListener("hashchange", enter);
enter();
