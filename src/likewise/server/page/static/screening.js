// Screening: going through the list, marking, filtering, and drawing the line.

import { address, get, ofSession, post } from "./api.js";
import { announce, byId, toast } from "./dom.js";
import { LABELS, makeEntry, showMark, showOpen } from "./entry.js";
import { Filter } from "./filter.js";
import { find, leadTo, leadToEnd, leadToLine } from "./leading.js";
import { Line } from "./line.js";
import { List } from "./list.js";
import { Pages } from "./pages.js";
import { togglePanel } from "./panels.js";
import { showEnds, showWhereLine } from "./surroundings.js";

const DRAWN = 20;
const MOST_DRAWN = 200;
const UNDOING = ["undo", "bar-undo"];

/**
 * The list with its filter, its marks and its line.
 *
 * `on.lineMoved(rank)`, `on.lineSaved()`, and `on.relearned()` if another ranking is there by now.
 */
export class Screening {
  constructor(session, marks, on) {
    this.path = ofSession(session);
    this.place = `likewise.place.${session}`;
    Object.assign(this, { marks, on, expansion: null, count: DRAWN });
    this.goTo = (id, rank) => leadTo(this, id, rank);
    this.pages = new Pages(byId("list"), {
      make: (entry) => this.make(entry),
      belongs: (entry) => this.belongs(entry),
      onChange: () => this.changed(),
      onError: toast,
    });
    this.line = new Line(session, {
      pages: this.pages,
      on: { moved: (rank) => this.lineMoved(rank), saved: () => on.lineSaved(), error: toast },
    });
    this.list = new List(byId("list"), {
      pages: this.pages,
      marks,
      on: { current: (entry) => this.keep(entry), mark: (entry, label, goesOn) => this.mark(entry, label, goesOn) },
    });
    this.filter = new Filter(() => this.open());
    this.pages.watch(byId("list-start"), byId("list-end"));
    this.setUpButtons();
  }

  get keys() {
    const mark = (label) => this.list.item && this.mark(this.list.item.entry, label, true);
    const marking = LABELS.map(({ label, key }) => [key, () => mark(label)]);
    const [down, up] = [() => this.list.move(1), () => this.list.move(-1)];
    return {
      ...Object.fromEntries(marking),
      j: down,
      ArrowDown: down,
      k: up,
      ArrowUp: up,
      u: () => this.undo(),
      o: () => this.list.fold(),
      Enter: () => this.list.fold(),
      t: () => this.drawLine(),
      g: () => leadToEnd(this, 0),
      G: () => leadToEnd(this, -1),
    };
  }

  setUpButtons() {
    for (const name of UNDOING) byId(name).addEventListener("click", () => this.undo());
    byId("earlier").addEventListener("click", () => this.pages.earlier());
    byId("more").addEventListener("click", () => (this.pages.isComplete ? this.open() : this.pages.more()));
    byId("to-line").addEventListener("click", () => leadToLine(this));
    byId("abstracts").addEventListener("change", ({ target }) => this.list.setAll(target.value === "all"));
  }

  /** Open an expansion's ranking, at the document that was current before a reload. */
  async begin(expansion) {
    const kept = JSON.parse(sessionStorage.getItem(this.place) ?? "null");
    this.expansion = expansion;
    await this.line.refresh();
    this.list.current = null;
    const item = kept?.expansion === expansion && kept.rank > 1 && (await find(this, kept.id, kept.rank));
    if (item) this.list.select(item, { scrolls: true });
    else await this.open();
  }

  /** Show what the filter asks for, from an offset on. */
  async open(offset = 0) {
    this.line.isHidden = this.filter.wanted.order !== "rank";
    try {
      if (!(await this.pages.open(this.reader(), offset))) return false;
    } catch (error) {
      toast(error);
      return false;
    }
    const top = byId("documents").getBoundingClientRect().top;
    if (!offset && top < 0) scrollBy({ top, behavior: "instant" });
    const { items, byId: shown } = this.pages;
    const first = items.find(({ entry }) => !this.marks.label(entry.document.id)) ?? items[0];
    const { hadFocus: focuses } = this.pages;
    if (first) this.list.select(shown.get(this.list.current) ?? first, { scrolls: "if unseen", focuses });
    return true;
  }

  reader() {
    const { order, words, view } = this.filter.wanted;
    if (order !== "rank") return () => this.drawn(order);
    return async (offset, limit) => {
      // Marks that are on their way may move documents out of this view.
      if (view !== "all") await this.marks.settled();
      const answer = await get(address(`${this.path}/ranking`, { view, words, offset, limit }));
      if (answer.expansion !== this.expansion) setTimeout(() => this.on.relearned());
      return answer;
    };
  }

  async drawn(strategy) {
    await this.marks.settled();
    return post(`${this.path}/next`, { strategy, count: this.count });
  }

  make(entry) {
    const node = makeEntry(entry);
    const { id } = entry.document;
    showMark(node, this.marks.label(id), this.marks.isSaving(id));
    if (this.list.showsAll) showOpen(node, true);
    return node;
  }

  belongs({ rank, document }) {
    const { view } = this.filter.wanted;
    const label = this.marks.label(document.id);
    if (view === "listed") return label === "relevant" || (rank ?? Infinity) <= this.line.saved;
    return view === "all" || (view === "unmarked" ? !label : label === view);
  }

  showMark(id) {
    const item = this.pages.byId.get(id);
    if (item) showMark(item.node, this.marks.label(id), this.marks.isSaving(id));
    for (const name of UNDOING) byId(name).disabled = !this.marks.canUndo;
    showEnds(this);
  }

  /** Mark a document, or take back the mark that it has; by keys one then goes on. */
  async mark({ document }, label, goesOn) {
    const isTaken = this.marks.label(document.id) === label;
    const { order } = this.filter.wanted;
    this.marks.give(document.id, isTaken ? null : label, isTaken || order === "rank" ? null : order);
    announce(isTaken ? "Mark taken back." : `${label[0].toUpperCase()}${label.slice(1)}.`);
    if (!isTaken && goesOn && !(await this.list.toUnmarked())) this.tellEnd(order);
  }

  tellEnd(order) {
    if (order === "rank") toast("Everything below is marked already.");
    else toast("All of these are marked.", { action: "Draw more", onAction: () => this.open() });
  }

  undo() {
    const undone = this.marks.undo();
    if (!undone) return announce("Nothing to undo.");
    const item = this.pages.byId.get(undone.id);
    if (item) this.list.go(item);
    if (undone.isUndone) announce("Taken back.");
    else toast("It has been marked differently elsewhere since, and stays as it is.");
  }

  drawLine() {
    const rank = this.list.item?.entry.rank;
    if (rank) this.line.move(rank);
  }

  /** Show so many documents that a strategy chooses among those that were not looked at. */
  draw(strategy, count) {
    this.count = Math.max(1, Math.min(MOST_DRAWN, count));
    togglePanel("side", false);
    this.filter.setOrder(strategy);
  }

  /** Lead to the next document that is not marked. */
  goOn() {
    togglePanel("side", false);
    const here = this.list.item;
    if (this.filter.wanted.order !== "rank") this.filter.setOrder("rank");
    else if (here && !this.marks.label(here.entry.document.id)) this.list.go(here);
    else this.list.toUnmarked();
  }

  lineMoved(rank) {
    showWhereLine(this.line);
    this.on.lineMoved(rank);
  }

  changed() {
    this.line.place();
    showWhereLine(this.line);
    showEnds(this);
  }

  keep({ document, rank }) {
    sessionStorage.setItem(this.place, JSON.stringify({ id: document.id, rank, expansion: this.expansion }));
  }
}
