// The list of the papers given: what became of each, and how to take one out again.

import { announce, byId, element, fill, toast } from "./dom.js";
import { alarm } from "./entry.js";
import { counted, cut, number } from "./words.js";

const SHOWN_AT_FIRST = 50;
const STATES = { matched: "In the library", text_only: "Text only", not_found: "Not found" };
const MEANINGS = {
  text_only: "Text only: not in the library, but learned from.",
  irrelevant: "Irrelevant: excluded in your files; the search learns from that.",
  not_found: "Not found: not in the library, and there is no text to learn from.",
};

/** Show a draft, and again after each change. */
export function showDraft(draft) {
  let isWhole = false;
  const list = byId("draft-list");

  function draw() {
    const shown = inOrder(draft.items);
    const few = isWhole ? shown : shown.slice(0, SHOWN_AT_FIRST);
    byId("draft").hidden = !shown.length && !draft.irrelevant.length;
    byId("draft-counts").textContent = counts(draft);
    byId("draft-meaning").textContent = meanings(draft);
    fill(list, few.map((one) => row(one, () => takeOut(one))));
    byId("draft-all").hidden = few.length === shown.length;
    byId("draft-all").textContent = `Show all ${number(shown.length)}`;
    byId("draft-kept").hidden = draft.isKept;
    showProblems(draft.problems);
  }

  function takeOut(one) {
    const at = inOrder(draft.items).findIndex(({ key }) => key === one.key);
    draft.remove(one.key);
    announce(`${counts(draft)}. Removed: ${one.title}`);
    const buttons = list.querySelectorAll("button");
    (buttons[Math.min(at, buttons.length - 1)] ?? byId("paste")).focus();
  }

  byId("draft-all").addEventListener("click", () => {
    isWhole = true;
    draw();
    list.querySelectorAll("button")[SHOWN_AT_FIRST]?.focus();
  });
  byId("draft-clear").addEventListener("click", () => {
    const bringBack = draft.clear();
    byId("given").textContent = "";
    byId("given-error").hidden = true;
    byId("paste").focus();
    toast("The papers were removed.", { action: "Undo", onAction: bringBack });
  });
  draft.listeners.push(draw);
  draw();
}

/** How many papers are in which state, in words. */
function counts(draft) {
  const parts = [
    [draft.count("matched"), "in the library"],
    [draft.count("text_only"), "text only"],
    [draft.count("not_found"), "not found"],
    [draft.irrelevant.length, "irrelevant"],
  ];
  const said = parts.filter(([count]) => count).map(([count, words]) => `${number(count)} ${words}`);
  return said.join(", ") || "No papers yet";
}

const meanings = (draft) =>
  Object.entries(MEANINGS)
    .filter(([state]) => (state === "irrelevant" ? draft.irrelevant.length : draft.count(state)))
    .map(([, words]) => words)
    .join(" ");

/** What was not found comes first, as it may need a hand; then the latest first. */
const inOrder = (items) => {
  const latest = items.toReversed();
  return [...latest.filter((one) => one.state === "not_found"), ...latest.filter((one) => one.state !== "not_found")];
};

function row(one, onRemove) {
  const about = [one.year, one.journal].filter(Boolean).join(" · ");
  return element(
    "li",
    { class: `paper ${one.state}`, "data-state": one.state },
    element(
      "div",
      { class: "paper-text" },
      element("p", { class: "title" }, one.title),
      element(
        "p",
        { class: "note" },
        element("span", { class: "state" }, STATES[one.state]),
        about && ` · ${about}`,
        " ",
        alarm(one.warning),
      ),
    ),
    element(
      "button",
      { type: "button", class: "quiet", "aria-label": `Remove: ${cut(one.title, 80)}`, onclick: onRemove },
      "Remove",
    ),
  );
}

function showProblems(problems) {
  byId("problems").hidden = !problems.length;
  byId("problems-count").textContent = `${counted(problems.length, "record")} could not be read`;
  fill(byId("problems-list"), problems.map((problem) => element("li", {}, problem)));
}
