// A question in a dialog. The browser keeps the focus inside and gives it back afterwards.

import { h } from "./dom.js";
import { t } from "./i18n.js";

/**
 * Asks for a yes.
 *
 * @param {string} title - the question.
 * @param {string} text - what will happen.
 * @param {string} yes - the word on the button that does it.
 * @returns {Promise<boolean>} whether it was confirmed.
 */
export function confirmed(title, text, yes) {
  return new Promise((resolve) => {
    const answer = h("button.primary", { type: "submit", value: "yes", text: yes });
    const dialog = h(
      "dialog",
      { "aria-labelledby": "confirm-title" },
      h(
        "form.stack",
        { method: "dialog" },
        h("h2", { id: "confirm-title", text: title }),
        h("p", { text }),
        h("div.row", h("button", { type: "submit", value: "no", text: t("app.cancel") }), answer),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
    answer.focus();
  });
}
