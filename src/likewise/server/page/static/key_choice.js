// Which key does what: as here, as in other tools, or as one likes; kept with the browser.

const KEPT = "likewise.keys.chosen";
const SHOWN = "likewise.keys.shown";

/** What keys do, in the order in which it is listed. */
export const ACTIONS = {
  next: "next document; on a document also ↓",
  previous: "previous document; on a document also ↑",
  relevant: "relevant, and on to the next that is not marked",
  irrelevant: "irrelevant, and on",
  maybe: "maybe, and on; the same key again takes a mark back",
  undo: "undo what you marked last",
  go_on: "go on: to the next that is not marked",
  fold: "fold or unfold the abstract; on a document also Enter",
  line: "draw the line below this document",
  first: "first document",
  last: "last document",
  settle: "settle what reviewers disagree on",
  prisma: "the PRISMA flow diagram",
  filter: "filter by words; Esc clears",
  help: "these keys",
};

const OURS = {
  ...{ next: "j", previous: "k", relevant: "r", irrelevant: "i", maybe: "m", undo: "u", go_on: "n" },
  ...{ fold: "o", line: "t", first: "g", last: "G", settle: "s", prisma: "p", filter: "/", help: "?" },
};

/** Keys as other tools have them; what they have no key for is as here, if that key is free. */
export const PRESETS = {
  likewise: OURS,
  Rayyan: { ...OURS, relevant: "i", irrelevant: "e", maybe: "u", undo: "z" },
  // There n opens a note.
  ASReview: { ...OURS, go_on: "" },
};

let chosen = read();

/** The key of an action, or "". */
export const keyOf = (action) => chosen[action];

/** The action of a key, or undefined; capitals by a locked shift do what small letters do. */
export function actionOf(key) {
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

/** Let a key do something; what it did before is done by the key that is free now. */
export function setKey(action, key) {
  const other = Object.keys(ACTIONS).find((one) => chosen[one] === key);
  keep({ ...chosen, ...(other && { [other]: chosen[action] }), [action]: key });
}

/** Whether a mark was never given by these keys in this browser; asked once. */
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

/** What was kept, as far as it makes sense: somebody may have written anything there. */
function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
    const given = Object.keys(ACTIONS).filter((action) => typeof kept[action] === "string" && kept[action].length <= 1);
    return { ...OURS, ...Object.fromEntries(given.map((action) => [action, kept[action]])) };
  } catch {
    return { ...OURS };
  }
}
