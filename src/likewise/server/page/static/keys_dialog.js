// The dialog that lists the keys, and lets them be changed.

import { announce, byId, element, fill, setAttributes } from "./dom.js";
import { ACTIONS, DIGIT, PRESETS, choosePreset, keyOf, presetName, setKey } from "./key_choice.js";

const HINTS = { relevant: "relevant", irrelevant: "irrelevant", maybe: "maybe", next: "next" };
const SHORTCUTS = { words: "filter", undo: "undo", help: "help" };

/** Set the dialog up, and return a function that opens it. */
export function setUpKeysDialog() {
  const dialog = byId("keys");
  const preset = byId("keys-preset");
  const open = () => {
    show();
    dialog.showModal();
  };
  const show = () => {
    fill(preset, Object.keys(PRESETS).map((name) => element("option", { value: name }, name)));
    if (!presetName()) preset.append(element("option", { value: "" }, "my own"));
    preset.value = presetName();
    const rows = Object.keys(ACTIONS).map((action) => [row(action, show), action === "maybe" && digits()]);
    fill(byId("keys-list"), rows);
    showElsewhere();
  };
  preset.addEventListener("change", () => {
    if (preset.value) choosePreset(preset.value);
    show();
  });
  byId("help").addEventListener("click", open);
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  showElsewhere();
  return open;
}

function row(action, onChange) {
  const name = ACTIONS[action];
  const key = keyOf(action) || "–";
  const button = element("button", { type: "button", class: "key", "aria-label": `${key}: ${name}. Change the key`, title: "Change the key" }, key);
  button.addEventListener("click", () => listen(button, action, onChange));
  return element("div", {}, element("dt", {}, button), element("dd", {}, name));
}

/** The keys for reasons, which can't be changed. */
function digits() {
  const does = "irrelevant, for the reason with that number in your list, and on; the same key again takes the reason off";
  return element("div", {}, element("dt", {}, element("kbd", {}, "1"), " … ", element("kbd", {}, "9")), element("dd", {}, does));
}

/** Wait for the new key of an action; Esc, or going elsewhere, keeps the old one. */
function listen(button, action, onChange) {
  button.textContent = "press a key";
  announce("Press the key to use.");
  const stop = () => {
    button.removeEventListener("keydown", take);
    onChange();
    byId("keys-list").querySelectorAll("button")[Object.keys(ACTIONS).indexOf(action)].focus();
  };
  const take = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isKey = event.key.length === 1 && event.key !== " " && !DIGIT.test(event.key);
    if (DIGIT.test(event.key)) announce("1 to 9 give reasons. Press another key.");
    if (!isKey && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    button.removeEventListener("blur", onChange);
    if (isKey) setKey(action, event.key);
    stop();
  };
  button.addEventListener("keydown", take);
  button.addEventListener("blur", onChange, { once: true });
}

/** Show the keys where they are named outside the dialog. */
function showElsewhere() {
  const hints = Object.entries(HINTS).filter(([action]) => keyOf(action));
  fill(byId("hint"), hints.map(([action, word]) => element("span", {}, element("kbd", {}, keyOf(action)), ` ${word} `)));
  for (const [id, action] of Object.entries(SHORTCUTS)) setAttributes(byId(id), { "aria-keyshortcuts": keyOf(action) || null });
  for (const button of document.querySelectorAll("button[data-label]")) button.title = button.title.replace(/\(.*\)|$/, `(${keyOf(button.dataset.label)})`);
}
