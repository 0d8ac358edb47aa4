// What is around the list: how many documents there are, where the line is, what can be done at the ends.

import { byId, element, fill } from "./dom.js";
import { counted, number, sentence } from "./words.js";

const EMPTY = {
  words: "No document matches this filter.",
  marks: "No document has this mark yet.",
  drawn: "Everything has been looked at.",
};

/** Say where the line is, on the button that leads there. */
export function showWhereLine({ lies, rank }) {
  const [sign, words] = { above: [" ↑", ", further up"], below: [" ↓", ", further down"] }[lies] ?? ["", ""];
  const button = byId("to-line");
  button.hidden = !lies;
  fill(
    button,
    element("span", {}, `The line: below ${number(rank)}`, element("span", { class: "visually-hidden" }, words)),
    sign && element("span", { "aria-hidden": "true" }, sign),
  );
}

/** Say how many there are, which part of the filter was not understood, and what can be done at the ends. */
export function showEnds({ filter, pages, marks, found }) {
  const { words, view } = filter.wanted;
  const { total, items, before, isComplete } = pages;
  const { isDrawn } = filter;
  const isDone = items.length > 0 && items.every(({ entry }) => marks.label(entry.document.id));
  byId("count").textContent = isDrawn ? `${counted(items.length, "document")} drawn` : counted(total, "document");
  const complaint = (words && found.complaint) || "";
  byId("complaint").hidden = !complaint;
  byId("complaint").textContent = complaint && sentence(complaint);
  byId("earlier").hidden = !before;
  byId("more").hidden = isDrawn ? !isDone : isComplete;
  byId("more").textContent = isDrawn ? "Draw more" : "Show more";
  byId("empty").hidden = items.length > 0;
  byId("empty").textContent = words ? EMPTY.words : isDrawn || view === "unmarked" ? EMPTY.drawn : EMPTY.marks;
}

/** The buttons that take back what was done last. */
export const UNDOING = ["undo", "bar-undo"];

/** Enable these buttons if there is something to take back. */
export function showUndo(marks) {
  for (const name of UNDOING) byId(name).disabled = !marks.canUndo;
}
