// The list: which document is the current one, and how one moves through the others.

import { showCurrent, showOpen } from "./entry.js";

const QUICK = 400;
const PLACE = 0.12;
const FAR = 2;

/**
 * The list of documents that `pages` holds.
 *
 * `on.current(entry)` is called when another one becomes current, `on.mark(entry, label, goOn)`
 * when a button is pressed.
 */
export class List {
  constructor(node, { pages, marks, on }) {
    Object.assign(this, { node, pages, marks, on });
    this.current = null;
    this.showsAll = false;
    this.moved = 0;
    node.addEventListener("click", (event) => this.click(event));
    node.addEventListener("focusin", (event) => this.focusIn(event));
  }

  /** The current document, or the first visible one if it is no longer in the page. */
  get item() {
    const items = this.pages.items;
    return this.pages.byId.get(this.current) ?? items.find(({ node }) => isSeen(node)) ?? items[0] ?? null;
  }

  /** The document that is read: the current one, unless one has scrolled away from it. */
  get readItem() {
    const here = this.item;
    return here && isSeen(here.node) ? here : this.pages.items.find(({ node }) => isSeen(node)) ?? here;
  }

  /** Make a document current, and if wanted scroll to it (always, or "if unseen") and focus it. */
  select(item, { scrolls = false, focuses = false } = {}) {
    const old = this.pages.byId.get(this.current);
    const top = item.node.getBoundingClientRect().top;
    if (old && old !== item) {
      showCurrent(old.node, false);
      showOpen(old.node, this.showsAll);
    }
    if (!item.node.classList.contains("current")) showOpen(item.node, true);
    this.current = item.entry.document.id;
    showCurrent(item.node, true);
    // Folding the one before must not move what is being read.
    scrollBy({ top: item.node.getBoundingClientRect().top - top, behavior: "instant" });
    if (focuses) item.node.firstChild.focus({ preventScroll: true });
    if (scrolls === true || (scrolls && !isSeen(item.node))) this.bring(item.node);
    this.on.current(item.entry);
  }

  /** Move by `step` documents, loading more at the ends. */
  async move(step) {
    const here = this.item;
    if (!here) return;
    if (here.entry.document.id !== this.current) return this.go(here);
    const at = this.pages.items.indexOf(here);
    if (!this.pages.items[at + step]) await (step > 0 ? this.pages.more() : this.pages.earlier());
    const next = this.pages.items[this.pages.items.indexOf(here) + step];
    if (next) this.go(next);
    else this.bring(here.node);
  }

  /** The next document that is not marked, if it is in the page. */
  findUnmarked() {
    const rest = this.pages.items.slice(this.pages.items.indexOf(this.item) + 1);
    return rest.find(({ entry }) => !this.marks.label(entry.document.id)) ?? null;
  }

  go(item) {
    this.select(item, { scrolls: true, focuses: true });
  }

  /** Give the current document the focus, where keys are heard. */
  focus() {
    this.item?.node.firstChild.focus({ preventScroll: true });
  }

  fold(item = this.item) {
    if (item) showOpen(item.node, !item.node.classList.contains("open"));
  }

  /** Show the abstracts of all documents, or of the current one alone. */
  setAll(showsAll) {
    this.showsAll = showsAll;
    const here = this.item?.node;
    const top = here?.getBoundingClientRect().top;
    for (const { entry, node } of this.pages.items) showOpen(node, showsAll || entry.document.id === this.current);
    if (here) scrollBy({ top: here.getBoundingClientRect().top - top, behavior: "instant" });
  }

  click(event) {
    const node = event.target.closest(".entry");
    const item = node && this.pages.byId.get(node.dataset.id);
    if (!item) return;
    const isCurrent = this.current === node.dataset.id;
    const label = event.target.closest("button[data-label]")?.dataset.label;
    if (isCurrent && event.target.closest(".fold")) return this.fold(item);
    if (!isCurrent && !isSelecting()) this.select(item);
    // A click by a key has no detail: whoever presses a button by a key stays where they are.
    if (label) this.on.mark(item.entry, label, isCurrent && event.detail > 0);
  }

  focusIn(event) {
    const node = event.target.closest(".entry");
    const item = node && this.pages.byId.get(node.dataset.id);
    // With the mouse, a click follows the focus: unfolding before it would move the button away.
    if (item && item.entry.document.id !== this.current && event.target.matches(":focus-visible")) this.select(item);
  }

  /** Scroll a document to where the current one always is. */
  bring(node) {
    const now = performance.now();
    const isQuick = now - this.moved < QUICK || matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.moved = now;
    const top = node.getBoundingClientRect().top - covered() - PLACE * innerHeight;
    const isFar = Math.abs(top) > FAR * innerHeight;
    scrollBy({ top, behavior: isQuick || isFar ? "instant" : "smooth" });
  }
}

/** How much of the top of the window is covered by what sticks there. */
function covered() {
  const ends = [...document.querySelectorAll("[data-sticky]")].map((bar) => {
    const { position, top } = getComputedStyle(bar);
    return position === "sticky" ? (parseFloat(top) || 0) + bar.offsetHeight : 0;
  });
  return Math.max(0, ...ends);
}

function isSeen(node) {
  const { top, bottom } = node.getBoundingClientRect();
  return bottom > covered() && top < innerHeight;
}

const isSelecting = () => !(getSelection()?.isCollapsed ?? true);
