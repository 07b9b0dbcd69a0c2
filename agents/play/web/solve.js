// Offers to work out the best play of a game that is not solved yet, and shows how far the work is.

import { forgetRulesets, solveStatus, startSolving } from "./api.js";
import { announce, button, h, pause, replace } from "./dom.js";
import { number, percent, t } from "./i18n.js";

const EVERY = 1000; // milliseconds between looks at the work

function duration(seconds) {
  if (seconds < 90) return t("time.seconds", { count: Math.max(1, Math.round(seconds)) });
  if (seconds < 5400) return t("time.minutes", { count: Math.round(seconds / 60) });
  return t("time.hours", { count: Math.round(seconds / 3600) });
}

/**
 * A panel about the stored optimum of a ruleset. It looks after the work while it is in the page.
 *
 * @param {object} status - SolveStatus.
 * @param {() => void} onSolved - called once when the work is done.
 * @returns {HTMLElement|null} null where there is nothing to say.
 */
export function solvePanel(status, onSolved) {
  if (status.state === "solved") return null;
  const panel = h("div.notice.solve.stack.tight");

  async function look() {
    await pause(EVERY);
    if (panel.isConnected) ask(solveStatus);
  }

  async function ask(question) {
    try {
      draw(await question(status.ruleset));
    } catch (error) {
      draw({ ...status, state: "failed", message: error.message });
    }
  }

  function draw(now) {
    if (now.state === "solved") {
      forgetRulesets();
      announce(t("solve.done_plain"));
      replace(panel, h("p", { text: t("solve.done_plain") }));
      onSolved();
      return;
    }
    if (now.state === "impossible") {
      replace(panel, h("p", { text: t("solve.impossible") }));
      return;
    }
    if (now.state === "solving") {
      const said = t("solve.solving", { percent: percent(now.progress) });
      replace(panel, h("p", { text: said }), h("progress", { max: 1, value: now.progress, "aria-label": said }));
      look();
      return;
    }
    const cost =
      now.expected_seconds !== null &&
      t("solve.cost", {
        time: duration(now.expected_seconds),
        disk: number(now.disk_mb ?? 0, now.disk_mb < 10 ? 1 : 0),
      });
    replace(
      panel,
      h("p", { text: now.state === "failed" ? t("solve.failed", { message: now.message }) : t("solve.missing") }),
      cost && h("p.hint", { text: cost }),
      now.allowed
        ? h(
            "div.row",
            button(".small", t("solve.start"), () => ask(startSolving)),
          )
        : h("p.hint", { text: t("solve.elsewhere") }),
    );
  }

  draw(status);
  return panel;
}
