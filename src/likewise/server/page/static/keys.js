// Keys for everything that is done all day.

import { byId, toast } from "./dom.js";
import { actionOf, isNew, keyOf } from "./key_choice.js";
import { setUpKeysDialog } from "./keys_dialog.js";

const SWITCH = "likewise.keys";
const FIXED = { ArrowDown: "next", ArrowUp: "previous", Enter: "fold" };
const MARKS = ["relevant", "irrelevant", "maybe", "digit"];
const BOXES = ["reason", "tag", "note"];

/**
 * Call `actions[name](key)` when the key of an action is pressed and nobody is typing.
 *
 * Each action waits for the one before it: whoever types ahead while a page of the list is on its way
 * must mark the document that they will see, and no other. The actions in `now` don't wait.
 */
export function listenToKeys(actions, now) {
  const use = byId("use-keys");
  const help = setUpKeysDialog();
  const first = { ...now, help };
  let before = Promise.resolve();
  let isOpening = false;
  use.checked = localStorage.getItem(SWITCH) !== "off";
  use.addEventListener("change", () => localStorage.setItem(SWITCH, use.checked ? "on" : "off"));
  document.addEventListener("keydown", (event) => {
    const { key } = event;
    const isUndo = isUsualUndo(event);
    if (!isUndo && (!isMeant(event) || (isLetter(event) && !use.checked))) return;
    const name = isUndo ? "undo" : FIXED[key] ?? actionOf(key);
    if (!name) return;
    event.preventDefault();
    // What is typed after the key of a box belongs in the box, even before that is there.
    if (isOpening) return;
    if (first[name]) return first[name]();
    isOpening = BOXES.includes(name);
    before = before.then(() => actions[name](key)).then((isDone) => isDone !== false && tellOnce(name, key), toast);
    if (isOpening) before = before.then(() => (isOpening = false));
  });
}

/** Say what the first mark by a key did, and how to take it back. */
function tellOnce(name, key) {
  if (!MARKS.includes(name) || !isNew()) return;
  const undo = keyOf("undo") ? `“${keyOf("undo")}” takes it back. ` : "";
  const did = name === "digit" ? `“${key}” marked it irrelevant, for this reason` : `“${keyOf(name)}” marked it ${name}`;
  toast(`${did}. ${undo}All keys, and how to change them: “${keyOf("help") || "Keys"}”.`);
}

/** Lead back from every box to the list by Esc, or by what ends a choice; `back()` gives the list the focus. */
export function leaveBoxes(back) {
  const place = byId("session");
  let isByMouse = false;
  place.addEventListener("pointerdown", () => (isByMouse = true));
  place.addEventListener("keydown", (event) => {
    isByMouse = false;
    const ends = event.key === "Escape" || (event.key === "Enter" && event.target.matches("input[type=number]"));
    if (!ends || event.defaultPrevented || event.isComposing || !isTyping(event.target)) return;
    if (document.activeElement !== event.target) return;
    // Leaving a number field confirms the number.
    event.target.blur();
    back();
  });
  // After a choice with the mouse, the next key that is meant for the list would change the choice.
  place.addEventListener("change", ({ target }) => isByMouse && target.matches("select") && back());
}

function isMeant(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  if (document.querySelector("dialog[open]") || isTyping(event.target)) return false;
  // Enter and the arrows do what they always do, unless a document has the focus.
  return isLetter(event) || event.target === document.body || event.target.matches("article");
}

/** Whether it is Ctrl-Z or ⌘Z, and not meant for text that is being typed. */
function isUsualUndo(event) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "z") return false;
  const { target } = event;
  const isWriting = isTyping(target) && !target.matches("select") && !(target.matches("input.tag") && !target.value);
  return !event.defaultPrevented && !document.querySelector("dialog[open]") && !isWriting;
}

const isLetter = ({ key }) => key.length === 1;

const isTyping = (target) => target.matches("input:not([type=checkbox]), textarea, select, [contenteditable]");
