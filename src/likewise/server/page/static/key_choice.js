// Which key does what: as here, as in other tools, or as one likes; the browser keeps it.

const KEPT = "likewise.keys.chosen";
const SHOWN = "likewise.keys.shown";

/** What keys do, in the order in which the dialog lists them. */
export const ACTIONS = {
  next: "next document; on a document also ↓",
  previous: "previous document; on a document also ↑",
  relevant: "relevant, and on to the next that is not marked",
  irrelevant: "irrelevant, and on",
  maybe: "maybe, and on; the same key again takes a mark back",
  undo: "undo what you did last: a mark, a tag or a note; also Ctrl-Z or ⌘Z",
  go_on: "jump to the next that is not marked",
  fold: "show or hide the abstract; on a document also Enter",
  reason: "choose a reason for exclusion from the list",
  tag: "add a tag; Enter adds it, Esc goes back",
  note: "write a note; Esc saves it and goes back",
  criteria: "show or hide the criteria",
  line: "draw the line below this document",
  first: "first document",
  last: "last document",
  settle: "settle what reviewers disagree on",
  prisma: "the PRISMA flow diagram",
  filter: "filter by words; Esc clears",
  help: "these keys",
};

/** These keys give the reasons for exclusion, by their numbers in the list, and nothing else. */
export const DIGIT = /^[1-9]$/;

const OURS = {
  ...{ next: "j", previous: "k", relevant: "r", irrelevant: "i", maybe: "m", undo: "u", go_on: "n" },
  ...{ reason: "e", tag: "a", note: "w", criteria: "c" },
  ...{ fold: "o", line: "t", first: "g", last: "G", settle: "s", prisma: "p", filter: "/", help: "?" },
};

/** Keys as in other tools; an action that they have no key for has ours, if that is free. */
export const PRESETS = {
  likewise: OURS,
  Rayyan: { ...OURS, relevant: "i", irrelevant: "e", maybe: "u", undo: "z", reason: "x" },
  // There n opens a note.
  ASReview: { ...OURS, go_on: "", note: "n" },
};

let chosen = read();

/** The key of an action, or "". */
export const keyOf = (action) => chosen[action];

/** The action of a key, or undefined; with Caps Lock on, capitals do what small letters do. */
export function actionOf(key) {
  if (DIGIT.test(key)) return "digit";
  const find = (wanted) => Object.keys(ACTIONS).find((action) => chosen[action] === wanted);
  return find(key) ?? find(key.toLowerCase());
}

/** The name of the preset that is chosen, or "". */
export function presetName() {
  const isSame = (keys) => Object.keys(ACTIONS).every((action) => keys[action] === chosen[action]);
  return Object.keys(PRESETS).find((name) => isSame(PRESETS[name])) ?? "";
}

export function choosePreset(name) {
  keep({ ...PRESETS[name] });
}

/** Give an action a key; the action that had it gets the key that becomes free. */
export function setKey(action, key) {
  const other = Object.keys(ACTIONS).find((one) => chosen[one] === key);
  keep({ ...chosen, ...(other && { [other]: chosen[action] }), [action]: key });
}

/** Whether no mark was ever given by these keys in this browser; true only once. */
export function isNew() {
  const now = JSON.stringify(chosen);
  const isSame = localStorage.getItem(SHOWN) === now;
  localStorage.setItem(SHOWN, now);
  return !isSame;
}

function keep(keys) {
  chosen = keys;
  localStorage.setItem(KEPT, JSON.stringify(keys));
}

/** Return what was kept, as far as it makes sense: anything may have been written there. */
function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    const isKey = (key) => typeof key === "string" && key.length <= 1 && !DIGIT.test(key);
    const given = Object.keys(ACTIONS).filter((action) => isKey(kept[action]));
    const keys = Object.fromEntries(given.map((action) => [action, kept[action]]));
    // Actions that are newer than the kept keys take no key that somebody chose.
    const taken = new Set(Object.values(keys));
    const others = Object.entries(OURS).map(([action, key]) => [action, taken.has(key) ? "" : key]);
    return { ...Object.fromEntries(others), ...keys };
  } catch {
    return { ...OURS };
  }
}
