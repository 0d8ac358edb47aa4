// Leads to places in the list that may not be loaded: a document, the line, the ends.

import { toast } from "./dom.js";

const LEAD = 8;
const END = 20;
const MOST_STEPS = 12;

/** Lead to a document of the ranking. */
export async function leadTo(screening, id, rank) {
  const item = await find(screening, id, rank ?? 1);
  if (item) screening.list.go(item);
  else toast("It is not in this list.");
}

/** Lead to the first document of what is shown (0), or to the last (-1). */
export async function leadToEnd(screening, at) {
  const { pages, list } = screening;
  const isThere = at === 0 ? !pages.before : pages.isComplete;
  if (!isThere) await screening.open(at === 0 ? 0 : Math.max(0, pages.total - END));
  const item = pages.items.at(at);
  if (item) list.go(item);
}

/** Lead to where the line is. */
export async function leadToLine(screening) {
  const { line, pages, list } = screening;
  if (line.lies !== "here") {
    // The line may have been moved since the server said how many are above it.
    const { above } = await pages.read(0, 1);
    await screening.open(Math.max(0, above - LEAD));
  }
  if (line.lies !== "here") return;
  // Whoever goes on from here goes on below the line.
  const last = pages.items.findLast(({ entry }) => (entry.rank ?? Infinity) <= line.rank) ?? pages.items[0];
  if (last) list.select(last);
  list.bring(line.node);
  line.slider.focus({ preventScroll: true });
}

/**
 * Load what is around a document, and return its item or null.
 *
 * What was learned from shares its rank with what was not, so that no document comes before the
 * place that its rank says, and each step leads nearer to it.
 */
export async function find(screening, id, rank) {
  const { pages, filter } = screening;
  if (pages.byId.has(id)) return pages.byId.get(id);
  filter.reset();
  for (let step = 0, offset = rank - 1 - LEAD; step < MOST_STEPS; step += 1) {
    if (!(await screening.open(Math.max(0, offset)))) return null;
    const last = pages.items.at(-1)?.entry.rank ?? Infinity;
    if (pages.byId.has(id) || last > rank) break;
    offset = pages.before + pages.items.length - LEAD + (rank - last);
  }
  return pages.byId.get(id) ?? null;
}
