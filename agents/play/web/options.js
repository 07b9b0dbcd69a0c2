// What can be set during a game, and how to check its dice.

import { changeGame, exportGame } from "./api.js";
import { button, checkbox, field, h, replace, select } from "./dom.js";
import { t } from "./i18n.js";
import { changeSettings, LEVELS, settings } from "./store.js";

const PACES = ["calm", "quick", "instant"];

/** Saves a game as a file. */
export async function saveGame(id) {
  const game = await exportGame(id);
  const address = URL.createObjectURL(new Blob([JSON.stringify(game, null, 2)], { type: "application/json" }));
  h("a", { href: address, download: `yatzy-${id}.json` }).click();
  URL.revokeObjectURL(address);
}

/** SHA-256 of a text in hexadecimal, computed here and not by the server. */
async function sha256(text) {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What there is to check about the dice of a game: the digest before, the seed and the check after. */
export function fairPanel(state) {
  const panel = h("section.fair.stack.tight", h("h3", { text: t("fair.heading") }));
  if (state.seed_digest === null) {
    panel.append(h("p.hint", { text: t("fair.real") }));
    return panel;
  }
  const row = (key, value) => h("div", h("span.hint", { text: `${t(key)} ` }), h("code", { text: value }));
  panel.append(row("fair.digest", state.seed_digest));
  if (state.seed === null) {
    panel.append(h("p.hint", { text: t("fair.before") }));
    return panel;
  }
  const verdict = h("p", { role: "status" });
  panel.append(row("fair.seed", state.seed), verdict);
  // Browsers compute digests on safe origins only: on this machine, or over https.
  if (crypto.subtle) {
    sha256(state.seed).then((digest) => {
      const match = digest === state.seed_digest;
      verdict.className = match ? "notice" : "notice error";
      verdict.textContent = t(match ? "fair.match" : "fair.mismatch");
    });
  }
  return panel;
}

/**
 * The panel below a game.
 *
 * @param {(state: object) => void} onState - called with the state after a setting of the game has changed.
 * @param {(error: Error) => void} onError - called where that failed.
 */
export class OptionsPanel {
  constructor(onState, onError) {
    this.onState = onState;
    this.onError = onError;
    this.body = h("div.stack");
    this.element = h("details.card.options", h("summary", { text: t("game.options") }), this.body);
    this.key = null;
  }

  show(state) {
    // Only what is drawn here counts: redrawing on every move would take the focus away.
    const key = JSON.stringify([state.id, state.coach, state.hidden_totals, state.seed]);
    if (key === this.key) return;
    this.key = key;
    const held = this.element.contains(document.activeElement) ? document.activeElement.id : "";
    const change = async (body) => {
      try {
        this.onState(await changeGame(state.id, body));
      } catch (error) {
        this.onError(error);
      }
    };
    const levels = LEVELS.map((level) => [level, t(`start.coach.${level}`)]);
    const paces = PACES.map((pace) => [pace, t(`game.pace.${pace}`)]);
    const now = settings();
    replace(
      this.body,
      field(
        t("start.coach"),
        select(levels, state.coach, (coach) => change({ coach }), { id: "coach-level" }),
      ),
      field(t("game.pace"), select(paces, now.pace, (pace) => changeSettings({ pace }), { id: "pace" })),
      checkbox(t("game.wait"), (wait) => changeSettings({ wait }), { checked: now.wait }),
      checkbox(t("game.hidden"), (hidden) => change({ hidden_totals: hidden }), { checked: state.hidden_totals }),
      checkbox(t("game.keys"), (keys) => changeSettings({ keys }), { checked: now.keys }),
      h("p.hint", { text: t("game.keys.about") }),
      fairPanel(state),
      h("div.row", button(".small", t("game.export"), () => saveGame(state.id).catch(this.onError))),
    );
    if (held) document.getElementById(held)?.focus();
  }
}
