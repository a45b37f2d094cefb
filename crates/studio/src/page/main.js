// Navigation. The fragment of the address names a screen, and may contain a level with moves:
// #play/eJxT…. Everything else that a screen needs is in `studio`.

import * as api from "./api.js";
import { h, notify } from "./dom.js";
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

const screens = { gallery, play, watch, edit, race, models, learn };
const main = document.getElementById("screen");
let levels;
let pendingError = ""; // an error to show on the next screen

const studio = {
  /** The text of the current level. */
  level: store.current(),
  /** The moves for the screen that opens next, from a link or a solver; and a note about them. */
  moves: null,
  note: null,

  /** All levels and games; requested once, and again only after a failure. */
  gallery() {
    levels ??= api.levels();
    levels.catch(() => (levels = null));
    return levels;
  },

  go(screen) {
    if (location.hash === `#${screen}`) navigate();
    else location.hash = screen;
  },

  setLevel(level) {
    studio.level = level;
    store.saveCurrent(level);
  },

  /** Puts the moves into the address, so that it can be copied at any time. */
  async updateAddress(screen, level, moves) {
    const proof = studio.proof?.level === level ? studio.proof.proof : null;
    const text = await link.encode({ level, moves, proof });
    // Meanwhile another screen or level may have been opened.
    if (studio.level !== level || screenOf(location.hash) !== screen) return;
    history.replaceState(null, "", `#${screen}/${text}`);
    store.saveOwnAddress(location.hash);
  },
};

const screenOf = (hash) => hash.slice(1).split("/")[0];

let current = null; // the navigation whose screen is shown

async function navigate() {
  const [name, state] = location.hash.slice(1).split("/");
  if (name === "screen") return main.focus(); // the link that skips the navigation
  const screen = screens[name] ? name : "gallery";
  // If the server answers late, `current` may be a newer navigation: then this one's element is not
  // on the page.
  const mine = { element: h("div"), close: () => {} };
  current?.close();
  current = mine;
  const onLeave = (act) => {
    if (current === mine) mine.close = act;
    else act();
  };
  showCurrent(screen);
  notify(pendingError);
  pendingError = "";
  try {
    if (state) {
      const { level, moves, proof } = await link.decode(state);
      studio.setLevel(level);
      if (proof) studio.proof = { level, proof };
      // An address that this tab wrote may lack the last moves; then the stored history is used.
      const own = screen === "play" && store.ownAddresses().includes(location.hash);
      studio.moves = own ? null : moves;
    }
    studio.level ??= (await studio.gallery()).levels[0].text;
    if (current !== mine) return;
    main.replaceChildren(mine.element);
    await screens[screen].open(mine.element, studio, onLeave);
    if (current === mine) document.body.dataset.screen = screen;
  } catch (error) {
    if (current !== mine) return;
    if (screen === "gallery") return notify(error.message);
    pendingError = error.message;
    studio.go("gallery");
  }
}

function showCurrent(screen) {
  delete document.body.dataset.screen;
  for (const item of document.querySelectorAll("nav a")) {
    if (item.dataset.screen === screen) item.setAttribute("aria-current", "page");
    else item.removeAttribute("aria-current");
  }
  document.title = `${screen[0].toUpperCase()}${screen.slice(1)} · Ployglot studio`;
}

theme.open(document.getElementById("theme"));
addEventListener("hashchange", navigate);
navigate();
