// The line through the list: what lies above it is taken to be on topic. It can be moved.

import { Answers, get, ofSession, put } from "./api.js";
import { figuresAt } from "./curve.js";
import { announce, byId, element } from "./dom.js";
import { dragging } from "./dragging.js";
import { number } from "./words.js";

const PAUSE = 500;
const SLIDER = { "aria-label": "The line", "aria-orientation": "vertical", "aria-valuemin": 0 };
const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, PageDown: 10, PageUp: -10 };

/**
 * The line, as a row of the list, and its fields beside the list.
 *
 * `on.moved(rank)` is called while it moves, `on.saved(rank)` when the server knows where it is.
 */
export class Line {
  constructor(session, { pages, on }) {
    this.path = ofSession(session);
    Object.assign(this, { pages, on, answers: new Answers() });
    this.curve = { documents: [], precision: [], recall: [], decided: 0, learned: 0 };
    this.rank = this.saved = this.pool = 0;
    this.saving = Promise.resolve();
    this.slider = element(
      "div",
      { class: "slider", role: "slider", tabindex: 0, ...SLIDER },
      element("span", { class: "grip", "aria-hidden": "true" }, "⇕"),
      (this.words = element("span", { class: "words" })),
    );
    const reset = () => this.reset();
    this.back = element("button", { type: "button", class: "quiet", onclick: reset }, "Back to the learned line");
    this.node = element("li", { class: "line", id: "line" }, this.slider, this.back);
    this.slider.addEventListener("keydown", (event) => this.key(event));
    dragging(this);
    byId("line-rank").addEventListener("change", ({ target }) => target.value && this.move(target.valueAsNumber));
    byId("line-learned").addEventListener("click", reset);
  }

  /** Ask again what to expect along the ranking of an expansion, and where the line is. */
  async refresh(expansion = this.expansion) {
    this.expansion = expansion;
    const curve = await this.answers.read(get(`${this.path}/curve`));
    // The server may have learned again before the page knows: the line of that ranking is not this one's.
    if (curve?.expansion !== this.expansion) return;
    this.curve = curve;
    this.pool = this.curve.documents.at(-1) ?? 0;
    if (!this.isMoving && this.rank === this.saved) this.rank = this.curve.decided;
    this.saved = this.curve.decided;
    this.show();
  }

  /** Whether somebody moved it from where it was learned. */
  get isMoved() {
    return this.rank !== this.curve.learned;
  }

  /** Move the line below a rank; it is saved when it has come to rest. */
  move(rank, { isFinal = true } = {}) {
    this.rank = Math.max(0, Math.min(this.pool, Math.round(rank)));
    this.isMoving = true;
    this.show();
    clearTimeout(this.timer);
    if (isFinal) this.timer = setTimeout(() => this.save(this.rank), PAUSE);
  }

  reset() {
    clearTimeout(this.timer);
    this.rank = this.curve.learned;
    this.show();
    this.save(null);
  }

  async save(decided) {
    this.isMoving = false;
    const rank = this.rank;
    try {
      // One after another: what is asked for last has to arrive last.
      this.saving = this.saving.catch(() => {}).then(() => put(`${this.path}/threshold`, { decided }));
      await this.answers.change(this.saving);
      this.saved = rank;
      announce(this.text(rank));
      this.on.saved(rank);
    } catch (error) {
      if (this.rank === rank) this.rank = this.saved;
      this.show();
      this.on.error(error);
    }
  }

  show() {
    const said = this.text(this.rank);
    this.words.textContent = said;
    this.slider.setAttribute("aria-valuemax", this.pool);
    this.slider.setAttribute("aria-valuenow", this.rank);
    this.slider.setAttribute("aria-valuetext", said);
    byId("line-figures").textContent = said;
    const field = byId("line-rank");
    field.max = this.pool;
    if (document.activeElement !== field || !this.isMoving) field.value = this.rank;
    this.back.hidden = byId("line-learned").hidden = !this.isMoved;
    if (!this.isDragged) this.place();
    this.on.moved(this.rank);
  }

  text(rank) {
    const figures = figuresAt(this.curve, rank);
    const named = figures && [
      figures.precision !== null && `expected precision ${figures.precision.toFixed(2)}`,
      `recall ${figures.recall.toFixed(2)}`,
    ];
    return [`The line: below rank ${number(rank)}`, ...(named ?? [])].filter(Boolean).join("\u00a0· ");
  }

  /** Put the row between the last document above the line and the first one below. */
  place() {
    const { items, before, isComplete, list } = this.pages;
    const at = items.findIndex(({ entry }) => (entry.rank ?? Infinity) > this.rank);
    items.forEach(({ entry, node }, index) => {
      const { rank } = entry;
      node.classList.toggle("below", (rank ?? Infinity) > this.rank);
      // A document that was learned from shares the rank of the next one that was not; the rank is shown once.
      node.classList.toggle("shared", !this.isHidden && rank !== null && items[index + 1]?.entry.rank === rank);
    });
    const isAbove = at === 0 && before > 0;
    const isBelow = at < 0 && !isComplete;
    this.lies = this.isHidden ? "" : isAbove ? "above" : isBelow ? "below" : "here";
    if (this.lies !== "here" || !items.length) this.node.remove();
    else this.putBefore(items[at]?.node ?? null, list);
  }

  putBefore(next, list) {
    if (this.node.parentNode === list && this.node.nextSibling === next) return;
    if (!this.node.contains(document.activeElement)) return list.insertBefore(this.node, next);
    // If it has the focus, since keys move it, it stays in the page, and the documents move past it.
    if (next && !(this.node.compareDocumentPosition(next) & Node.DOCUMENT_POSITION_FOLLOWING)) {
      while (this.node.previousSibling !== next) this.node.after(this.node.previousSibling);
      this.node.after(next);
    } else {
      while (this.node.nextSibling !== next) this.node.before(this.node.nextSibling);
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { Home: 0, End: this.pool }[event.key] ?? this.rank + (STEPS[event.key] ?? NaN);
    if (Number.isNaN(to)) return;
    event.preventDefault();
    event.stopPropagation();
    this.move(to);
    this.slider.scrollIntoView({ block: "nearest" });
  }
}
