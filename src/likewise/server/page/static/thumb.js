// On a phone: the buttons of the current document, at the bottom, where the thumb is.

import { byId } from "./dom.js";
import { markButtons, showPressed } from "./entry.js";
import { number } from "./words.js";

/**
 * The bar at the bottom, which styles show on small screens only.
 *
 * It is there as long as its document is seen, so that nobody marks what is somewhere else.
 * `onMark(entry, label)` is called when a button is pressed.
 */
export class ThumbBar {
  constructor(onMark) {
    this.node = byId("thumb");
    this.title = byId("thumb-title");
    this.entry = null;
    this.node.append(markButtons("thumb-title"));
    this.observer = new IntersectionObserver((seen) => (this.node.hidden = !seen.at(-1).isIntersecting));
    this.node.addEventListener("click", ({ target }) => {
      const label = target.closest("button[data-label]")?.dataset.label;
      if (label) onMark(this.entry, label);
    });
  }

  /** Show the bar for another document. */
  show(entry, node, label) {
    this.entry = entry;
    const rank = entry.rank === null ? "" : `${number(entry.rank)} · `;
    this.title.textContent = rank + (entry.document.title || entry.document.id);
    this.observer.disconnect();
    this.observer.observe(node);
    this.showMark(entry.document.id, label);
  }

  /** Show the mark of a document, if the bar is for that one. */
  showMark(id, label) {
    if (id === this.entry?.document.id) showPressed(this.node, label);
  }
}
