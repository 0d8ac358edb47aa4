// A dialog that asks before something is done, and shows the error if that fails.

import { element } from "./dom.js";

let count = 0;

/**
 * Ask: `ask({ heading, body, confirm, isDanger, onConfirm, onDone })`.
 *
 * `body` is an array of nodes and texts. `onConfirm()` may be asynchronous; an error that it throws is
 * shown, and the dialog stays open. `onDone(answer)` is called with what it returned, once the dialog is
 * closed and the focus is back where it was. Escape and Cancel only close the dialog.
 */
export function ask({ heading, body, confirm, isDanger = false, onConfirm, onDone = () => {} }) {
  const id = `dialog-heading-${(count += 1)}`;
  const error = element("p", { class: "error", role: "alert", hidden: true });
  const yes = element("button", { type: "submit", class: isDanger ? "danger" : "primary" }, confirm);
  const no = element("button", { type: "button", autofocus: isDanger, onclick: () => dialog.close() }, "Cancel");
  const actions = element("div", { class: "actions" }, no, yes);
  const form = element("form", { method: "dialog" }, element("h2", { id }, heading), ...body, error, actions);
  const dialog = element("dialog", { "aria-labelledby": id, onclose: () => dialog.remove() }, form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    yes.disabled = true;
    error.hidden = true;
    try {
      const answer = await onConfirm();
      dialog.close();
      onDone(answer);
    } catch (problem) {
      error.hidden = false;
      error.textContent = problem.message;
      yes.disabled = false;
    }
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
