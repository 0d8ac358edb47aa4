// Keys for everything that is done all day, and the dialog that lists them.

import { byId, toast } from "./dom.js";

const SWITCH = "likewise.keys";

/**
 * Call `actions[key]()` when a key is pressed and nobody is typing; "?" shows the keys.
 *
 * Each waits for the one before it: whoever types ahead while a page of the list is on its way
 * must not mark another document than the one that they will see. `now` are those that don't.
 */
export function listenToKeys(actions, now) {
  const dialog = byId("keys");
  const use = byId("use-keys");
  const help = () => dialog.showModal();
  let before = Promise.resolve();
  use.checked = localStorage.getItem(SWITCH) !== "off";
  use.addEventListener("change", () => localStorage.setItem(SWITCH, use.checked ? "on" : "off"));
  byId("help").addEventListener("click", help);
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  document.addEventListener("keydown", (event) => {
    if (!isMeant(event) || (isLetter(event) && !use.checked)) return;
    const [first, later] = [{ "?": help, ...now }[event.key], actions[event.key]];
    if (!first && !later) return;
    event.preventDefault();
    first?.();
    if (later) before = before.then(later).catch(toast);
  });
}

function isMeant(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  if (document.querySelector("dialog[open]") || isTyping(event.target)) return false;
  // Enter and the arrows do what they always do, unless a document has the focus.
  return isLetter(event) || event.target === document.body || event.target.matches("article");
}

const isLetter = ({ key }) => key.length === 1;

const isTyping = (target) => target.matches("input:not([type=checkbox]), textarea, select, [contenteditable]");
