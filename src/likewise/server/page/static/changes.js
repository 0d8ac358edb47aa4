// What learning again changed: what came above the line, what left it, what rose and fell.

import { byId, element, fill } from "./dom.js";
import { counted, number } from "./words.js";

const MOST = 12;

/** Show changes, or nothing for null; `onOpen(id)` leads to a document in the list. */
export function showChanges(changes, onOpen) {
  const place = byId("changes");
  place.hidden = !changes;
  if (!changes) return;
  const groups = [
    group("Came above the line", { moves: changes.decided, count: changes.came, isOpen: true }, onOpen),
    group("Left it", { moves: changes.dropped, count: changes.left }, onOpen),
    group("Risen", { moves: changes.risen }, onOpen),
    group("Fallen", { moves: changes.fallen }, onOpen),
  ];
  byId("changes-words").textContent = changeWords(changes);
  fill(byId("changes-groups"), groups);
}

/** Say in a sentence what changed. */
export function changeWords({ came, left, risen, fallen }) {
  if (came || left) return `${counted(came, "document")} came above the line, ${number(left)} left it.`;
  if (risen.length || fallen.length) return "The same documents are above the line.";
  return "Nothing changed: the ranking is as before.";
}

function group(name, { moves, count = null, isOpen = false }, onOpen) {
  if (!moves.length) return null;
  const rest = (count ?? moves.length) - Math.min(moves.length, MOST);
  return element(
    "details",
    { class: "more", open: isOpen },
    element("summary", {}, count === null ? name : `${name}: ${number(count)}`),
    element("ul", { class: "plain moves" }, moves.slice(0, MOST).map((move) => item(move, onOpen))),
    rest > 0 && count !== null ? element("p", { class: "note" }, `and ${number(rest)} more`) : null,
  );
}

function item({ document, title, before, after }, onOpen) {
  const open = () => onOpen(document);
  const from = before === null ? "new" : number(before);
  return element(
    "li",
    {},
    element("span", { class: "ranks" }, `${from} → ${after === null ? "out" : number(after)}`),
    after === null
      ? element("span", { dir: "auto" }, title || document)
      : element("button", { type: "button", class: "lead", dir: "auto", onclick: open }, title || document),
  );
}
