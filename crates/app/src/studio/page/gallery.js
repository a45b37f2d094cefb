// Every level with its picture; a click plays it. Any other level can be pasted, in any format that ploy reads.

import * as api from "./api.js";
import { drawing, h, s, tell } from "./dom.js";

export async function open(room, studio) {
  const { levels, games } = await studio.gallery();
  const chosen = { game: studio.filter ?? "" };
  const cards = h("ul", { class: "cards" });
  const list = () => {
    studio.filter = chosen.game;
    cards.replaceChildren(...levels.filter((level) => !chosen.game || level.game === chosen.game).map((level) => {
      const picture = drawing(level.picture)[0] ?? s("svg");
      picture.setAttribute("aria-hidden", "true");
      picture.removeAttribute("width"); picture.removeAttribute("height");
      const par = level.par === "unsolvable" ? "no plan exists" : level.par ? `par ${level.par} ${level.measure}` : "par unknown";
      return h("li", {}, h("button", { class: "card", onclick: () => studio.play(level.text), "data-level": level.name },
        picture, h("b", {}, level.title ?? level.name), h("small", {}, [level.game, level.difficulty, par].filter(Boolean).join(" · "))));
    }));
  };
  const filters = ["", ...games.map((game) => game.name)].map((game) => h("button", {
    "aria-pressed": String(chosen.game === game),
    onclick: (event) => {
      chosen.game = game;
      for (const button of event.target.parentNode.children) button.setAttribute("aria-pressed", String(button === event.target));
      list();
    },
  }, game || "all games"));
  const pasted = h("textarea", { rows: 5, "aria-label": "a level in any format", placeholder: "Paste a level in any format: game: plotting …, an Essence Prime .param file, XSB, a pipe string" });
  const paste = async () => {
    try { studio.play((await api.ask("/api/level", { level: pasted.value })).text); } catch (error) { tell(error.message); }
  };
  list();
  room.replaceChildren(h("h1", {}, "Levels"), h("p", { class: "sub" }, "Pick one to play. Mouse, touch or keyboard."),
    h("div", { class: "bar", role: "group", "aria-label": "games" }, filters), cards,
    h("h2", {}, "A level of your own"), pasted, h("div", { class: "bar" }, h("button", { class: "main", onclick: paste }, "Open it")));
}
