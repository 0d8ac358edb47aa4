// Leads to places in the list that may not be loaded: a document, the line, the ends, what is next.

import { address, get } from "./api.js";
import { toast } from "./dom.js";
import { LABELS } from "./entry.js";
import { togglePanel } from "./panels.js";

const LEAD = 8;
const END = 20;
const MANY = 20;

/** Lead to a document of the ranking. */
export async function leadTo(screening, id) {
  const item = await find(screening, id);
  if (item) screening.list.go(item);
  else toast("This document is not in the list.");
}

/** Lead to the first document of the current view (0), or to the last (-1). */
async function leadToEnd(screening, at) {
  const { pages, list } = screening;
  const isThere = at === 0 ? !pages.before : pages.isComplete;
  if (!isThere) await screening.open({ offset: at === 0 ? 0 : Math.max(0, pages.total - END) });
  const item = pages.items.at(at);
  if (item) list.go(item);
}

/** Lead to where the line is. */
export async function leadToLine(screening) {
  const { line, pages, list } = screening;
  if (line.lies !== "here") {
    // The line may have been moved since the server said how many are above it.
    const { above } = await pages.read(0, 1);
    await screening.open({ offset: Math.max(0, above - LEAD) });
  }
  if (line.lies !== "here") return;
  // Whoever continues from here continues below the line.
  const last = pages.items.findLast(({ entry }) => (entry.rank ?? Infinity) <= line.rank) ?? pages.items[0];
  if (last) list.select(last);
  list.bring(line.node);
  line.slider.focus({ preventScroll: true });
}

/** Lead to the next document that is not marked, starting over at the top if `wraps`; false if there is none. */
export async function leadToUnmarked(screening, { wraps = false } = {}) {
  const { list, marks, filter } = screening;
  const here = list.item;
  const newer = screening.takeAhead();
  const near = (newer && (await findHere(screening, newer))) || list.findUnmarked();
  if (near) return goTo(list, near);
  if (filter.isDrawn) return false;
  await marks.settled();
  for (const after of wraps ? [here?.entry.document.id, ""] : [here?.entry.document.id]) {
    const next = await findUnmarked(screening, after);
    const item = next && (await findHere(screening, next));
    if (item) return goTo(list, item);
  }
  return false;
}

/** Return the id of the first document after another one, or from the top, that is not marked. */
export async function findUnmarked(screening, after = "") {
  const documents = await listUnmarked(screening, after);
  return documents.find((id) => !screening.marks.label(id)) ?? null;
}

/** Return the ids of some documents after another one, or from the top, that the server takes for unmarked. */
export async function listUnmarked(screening, after = "") {
  const asked = { ...screening.filter.asked, after, limit: MANY };
  const { documents } = await get(address(`${screening.path}/unmarked`, asked));
  return documents;
}

/** Load the current view around a document, and return its item or null. */
async function findHere(screening, id) {
  const { pages } = screening;
  if (!pages.byId.has(id)) await screening.open({ around: id });
  return pages.byId.get(id) ?? null;
}

/** Load the list around a document, if need be without the filter, and return its item or null. */
export async function find(screening, id) {
  const { pages, filter } = screening;
  if (pages.byId.has(id)) return pages.byId.get(id);
  filter.reset();
  return findHere(screening, id);
}

function goTo(list, item) {
  list.go(item);
  return true;
}

/** What keys do in a list, by the names of actions. */
export function actionsOf(screening) {
  const mark = (label) => screening.list.item && screening.mark(screening.list.item.entry, label, { goesOn: true });
  const marking = LABELS.map(({ label }) => [label, () => mark(label)]);
  return {
    ...Object.fromEntries(marking),
    next: () => screening.list.move(1),
    previous: () => screening.list.move(-1),
    undo: () => screening.undo(),
    go_on: () => screening.goOn(),
    fold: () => screening.list.fold(),
    line: () => screening.drawLine(),
    first: () => leadToEnd(screening, 0),
    last: () => leadToEnd(screening, -1),
    reason: () => screening.remarking.focus("reason"),
    tag: () => screening.remarking.focus("tag"),
    note: () => screening.remarking.focus("note"),
    digit: (key) => screening.remarking.giveByKey(key),
  };
}

/** Lead to the next document that is not marked, in the current view or else in the whole ranking. */
export async function leadOn(screening) {
  const { filter, list } = screening;
  togglePanel("side", false);
  if (list.item && !screening.hasMarked(list.item) && !filter.isDrawn) return list.go(list.item);
  if (!filter.isDrawn && (await leadToUnmarked(screening, { wraps: true }))) return;
  if (!filter.isPlain) {
    filter.reset();
    await screening.open();
    if (list.item && !screening.hasMarked(list.item)) return list.go(list.item);
    if (await leadToUnmarked(screening, { wraps: true })) return;
  }
  toast("Everything in the list is marked.");
}
