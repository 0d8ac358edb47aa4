// Which part of the ranking is shown, by words and by marks, and in which order.

import { byId, setAttributes } from "./dom.js";
import { togglePanel } from "./panels.js";

const PAUSE = 300;
const NOTES = {
  uncertain: "Unmarked documents nearest to the line: marking these teaches the most.",
  calibrate: "Ranks spread around the line and far below it: marking these shows how large the topic is.",
  audit: "A random sample of everything not marked. Mark each one, in this order: that shows how many are left.",
};

/** The fields above the list; `onChange()` is called when they ask for something else. */
export class Filter {
  constructor(onChange) {
    this.words = byId("words");
    this.view = byId("view");
    this.order = byId("order");
    this.onChange = onChange;
    this.words.addEventListener("input", () => this.soon());
    this.words.addEventListener("keydown", (event) => event.key === "Escape" && this.leave(event));
    this.view.addEventListener("change", () => this.changed());
    this.order.addEventListener("change", () => this.changed());
    byId("tools").addEventListener("submit", (event) => {
      event.preventDefault();
      this.changed();
      this.words.blur();
    });
    this.reset();
  }

  /** What is asked for: `{ words, view, order }`; drawn documents have neither words nor a view. */
  get wanted() {
    const order = this.order.value;
    if (this.isDrawn) return { order, words: "", view: "all" };
    return { order, words: this.words.value.trim(), view: this.view.value };
  }

  /** The same in the words of the server, which sorts. */
  get asked() {
    const { words, view, order: sort } = this.wanted;
    return { words, view, sort };
  }

  /** Whether a strategy chooses the documents, so that they are not a view of the ranking. */
  get isDrawn() {
    return this.order.value in NOTES;
  }

  /** Whether the whole ranking is shown. */
  get isPlain() {
    const { words, view, order } = this.wanted;
    return !words && view === "all" && order === "rank";
  }

  /** Ask for everything by rank, without calling `onChange`. */
  reset() {
    clearTimeout(this.timer);
    this.words.value = "";
    this.view.value = "all";
    this.order.value = "rank";
    this.before = JSON.stringify(this.wanted);
    this.show();
  }

  /** Show what a filter keeps of the whole ranking. */
  setWords(words) {
    this.reset();
    this.words.value = words;
    togglePanel("tools", true);
    this.changed();
  }

  /** Take other words, and leave the rest as it is. */
  setLimits(words) {
    if (this.isDrawn) this.order.value = "rank";
    this.words.value = words;
    this.changed();
  }

  setOrder(order) {
    this.order.value = order;
    this.changed();
  }

  focus() {
    togglePanel("tools", true);
    this.words.focus();
    this.words.select();
  }

  leave(event) {
    event.preventDefault();
    if (this.words.value) this.words.value = "";
    else this.words.blur();
    this.changed();
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.changed(), PAUSE);
  }

  changed() {
    clearTimeout(this.timer);
    this.show();
    const now = JSON.stringify(this.wanted);
    if (now === this.before) return;
    this.before = now;
    this.onChange();
  }

  show() {
    for (const field of [this.words, this.view]) setAttributes(field, { disabled: this.isDrawn });
    const note = byId("order-note");
    note.textContent = NOTES[this.order.value] ?? "";
    note.hidden = !this.isDrawn;
  }
}
