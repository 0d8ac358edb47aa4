// Screening: going through the list, marking, filtering, and drawing the line.

import { address, get, ofSession, post } from "./api.js";
import { announce, byId, toast } from "./dom.js";
import { makeEntry, showCurrent, showFullText, showMark, showOpen, showStanding, showTexts } from "./entry.js";
import { Filter } from "./filter.js";
import { find, findUnmarked, leadOn, leadTo, leadToLine, leadToUnmarked, listUnmarked } from "./leading.js";
import { Highlights } from "./highlights.js";
import { setUpLimits } from "./limits.js";
import { Line } from "./line.js";
import { List } from "./list.js";
import { setUpOwnWords } from "./own_words.js";
import { Pages } from "./pages.js";
import { togglePanel } from "./panels.js";
import { Remarking } from "./remarking.js";
import { UNDOING, showEnds, showUndo, showWhereLine } from "./surroundings.js";
import { ThumbBar } from "./thumb.js";

const DRAWN = 20;
const MOST_DRAWN = 200;
const LINE_PAUSE = 300;
const WRITTEN = /(tag|reason|note):/i;

/**
 * The list with its filter, its marks and its line.
 *
 * It calls `on.lineMoved(rank)`, `on.lineSaved()`, `on.relearned()` if there is another ranking by now,
 * and `on.remarks(count, error)` when the number of unsaved tags and notes changes.
 */
export class Screening {
  constructor(session, marks, on) {
    this.path = ofSession(session);
    this.place = `likewise.place.${session}`;
    Object.assign(this, { marks, on, expansion: null, count: DRAWN, found: { words: [], complaint: "" } });
    Object.assign(this, { seen: new Set(), ahead: [], written: 0 });
    this.highlights = new Highlights(session);
    this.cut = (pieces) => this.highlights.cut(pieces);
    this.goTo = (id) => leadTo(this, id);
    this.goOn = () => leadOn(this);
    this.remarking = new Remarking(session, marks, {
      exclude: (reason, goesOn) => this.list.item && this.mark(this.list.item.entry, "irrelevant", { goesOn, reason }).catch(toast),
      changed: (id) => this.drawRemarks(id),
      queue: on.remarks,
      renamed: () => this.marks.refresh().catch(toast),
      left: () => this.list.focus(),
      filter: (words) => this.filter.setWords(words),
    });
    this.pages = new Pages(byId("list"), {
      make: (entry, node) => this.make(entry, node),
      belongs: (entry) => this.belongs(entry),
      slack: () => this.written,
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
      on: { current: (entry) => this.keep(entry), mark: (entry, label, goesOn) => this.mark(entry, label, { goesOn }) },
    });
    this.thumb = new ThumbBar((entry, label) => this.mark(entry, label, { goesOn: true }).catch(toast));
    this.filter = new Filter(() => this.open());
    this.pages.watch(byId("list-start"), byId("list-end"));
    this.setUpButtons();
    setUpOwnWords(this.highlights, () => this.showWords());
    setUpLimits(session, this.filter, () => this.remarking.offered);
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
    await this.line.refresh(expansion);
    this.list.current = null;
    const item = kept?.expansion === expansion && kept.rank > 1 && (await find(this, kept.id));
    if (item) return this.list.select(item, { scrolls: true });
    await this.open();
    // Whoever comes back continues where they stopped, however far down that is.
    if (this.hasMarked(this.list.item)) await this.openUnmarked();
  }

  async openUnmarked() {
    const next = this.list.findUnmarked()?.entry.document.id ?? (await findUnmarked(this).catch(() => null));
    const item = next && (await find(this, next));
    if (item) this.list.select(item, { scrolls: true });
  }

  /** Take another expansion's ranking without moving what is being read; the rest has the new order. */
  async renew(expansion) {
    while (this.line.isMoving) await new Promise((resolve) => setTimeout(resolve, LINE_PAUSE));
    const isFirst = !this.hasPassedUnseen();
    const moved = this.line.isMoved ? this.line.rank : null;
    this.expansion = expansion;
    await this.line.refresh(expansion);
    if (moved !== null) this.line.move(moved);
    if (this.filter.isDrawn || !(await this.pages.renew(() => this.reader(), () => this.stayingItem))) return;
    const here = this.pages.byId.get(this.list.current);
    if (here) this.keep(here.entry);
    this.ahead = isFirst ? await listUnmarked(this).catch(() => []) : [];
  }

  /** The document that must not move: the one somebody writes on, or else the one being read. */
  get stayingItem() {
    return this.remarking.hasFocus ? this.list.item : this.list.readItem;
  }

  /** Whether nobody has looked at some documents further up: then somebody reads down here on purpose. */
  hasPassedUnseen() {
    const { items } = this.pages;
    const above = items.slice(0, items.indexOf(this.list.item));
    return above.some((item) => !this.hasMarked(item) && !this.seen.has(item.entry.document.id));
  }

  /** Return the id of the first unseen document by the latest learning, or null; it is given only once. */
  takeAhead() {
    const next = this.ahead.find((id) => !this.marks.label(id) && !this.seen.has(id));
    this.ahead = [];
    return next ?? null;
  }

  /** Show what the filter asks for, from an offset on or around a document. */
  async open({ offset = 0, around = "" } = {}) {
    this.line.isHidden = this.filter.wanted.order !== "rank";
    // Whoever opens something else continues from there.
    Object.assign(this, { ahead: [], written: 0 });
    try {
      if (!(await this.pages.open(this.reader(), { offset, around }))) return false;
    } catch (error) {
      toast(error);
      return false;
    }
    const top = byId("documents").getBoundingClientRect().top;
    if (!offset && !around && top < 0) scrollBy({ top, behavior: "instant" });
    const { items, byId: shown } = this.pages;
    const first = items.find((item) => !this.hasMarked(item)) ?? items[0];
    const { hadFocus: focuses } = this.pages;
    if (first) this.list.select(shown.get(around) ?? shown.get(this.list.current) ?? first, { scrolls: "if unseen", focuses });
    return true;
  }

  reader() {
    if (this.filter.isDrawn) return () => this.drawn(this.filter.wanted.order);
    const { asked } = this.filter;
    const read = async (offset, limit, around) => {
      // Marks that are on their way may move documents out of this view.
      if (asked.view !== "all" || asked.words) await this.settled();
      const { turn } = this.remarking.remarks;
      const answer = await get(address(`${this.path}/ranking`, { ...asked, offset, limit, around }));
      if (answer.expansion !== this.expansion) setTimeout(() => this.on.relearned());
      // Somebody may have typed more meanwhile: then another answer is wanted.
      if (this.latest === read) this.found = answer;
      this.highlights.seek(this.found.words);
      this.remarking.remarks.take(answer.entries, turn);
      return answer;
    };
    return (this.latest = read);
  }

  async drawn(strategy) {
    await this.marks.settled();
    const { turn } = this.remarking.remarks;
    const answer = await post(`${this.path}/next`, { strategy, count: this.count });
    this.remarking.remarks.take(answer.entries, turn);
    return answer;
  }

  /** Wait until nothing is on its way, but for at most some seconds. */
  settled() {
    this.remarking.flush();
    return Promise.all([this.marks.settled(), this.remarking.remarks.outbox.settled()]);
  }

  make(entry, old = null) {
    const node = old ?? makeEntry(entry, this.cut);
    if (old) showStanding(old, entry);
    const { id } = entry.document;
    showMark(node, this.marks.label(id), this.marks.isSaving(id));
    this.remarking.draw(node, entry);
    if (!old && this.list.showsAll) showOpen(node, true);
    return node;
  }

  belongs({ rank, document }) {
    const { view } = this.filter.wanted;
    const label = this.marks.label(document.id);
    if (view === "listed") return label === "relevant" || (rank ?? Infinity) <= this.line.saved;
    return view === "all" || (view === "unmarked" ? !label : label === view);
  }

  /** Show one's own words, and where full texts are, in the documents that are there already. */
  showWords() {
    for (const { entry, node } of this.pages.items) {
      showTexts(node, entry, this.cut);
      showFullText(node, entry);
      // Tab stops only in the current document.
      showCurrent(node, entry.document.id === this.list.current);
    }
  }

  hasMarked(item) {
    return Boolean(item && this.marks.label(item.entry.document.id));
  }

  showMark(id) {
    const item = this.pages.byId.get(id);
    if (item) showMark(item.node, this.marks.label(id), this.marks.isSaving(id));
    this.remarking.changed(id);
    this.thumb.showMark(id, this.marks.label(id));
    showUndo(this.marks);
    showEnds(this);
  }

  drawRemarks(id) {
    showUndo(this.marks);
    // A tag or a note may take its document out of what the filter keeps.
    if (WRITTEN.test(this.filter.wanted.words)) this.written += 1;
    const item = this.pages.byId.get(id);
    if (item) this.remarking.draw(item.node, item.entry);
  }

  /**
   * Mark a document, or take back the mark that it has; then move on to the next one if `goesOn`.
   *
   * A reason is one for exclusion: a document that already has it loses it, but stays excluded; "" takes any reason off.
   */
  async mark({ document }, label, { goesOn = false, reason = null } = {}) {
    const { isDrawn, wanted } = this.filter;
    const before = this.marks.at(document.id);
    const isTaken = before.label === label && (reason === null || reason === before.reason || !reason);
    if (reason === "" && !before.reason) return;
    const strategy = isDrawn && !isTaken ? wanted.order : null;
    if (reason === null) this.marks.give(document.id, isTaken ? null : label, { strategy });
    else this.marks.give(document.id, label, { strategy, reason: isTaken ? "" : reason });
    announce(sayMark(label, reason, isTaken));
    if (!isTaken && goesOn && !(await leadToUnmarked(this))) this.tellEnd(isDrawn);
  }

  tellEnd(isDrawn) {
    if (isDrawn) toast("All of these are marked.", { action: "Draw more", onAction: () => this.open() });
    else toast("Everything below is marked already.", { action: "Continue above", onAction: () => this.goOn().catch(toast) });
  }

  undo() {
    const undone = this.marks.undo();
    if (!undone) return announce("Nothing to undo.");
    const item = this.pages.byId.get(undone.id);
    const isHere = this.remarking.hasFocus && undone.id === this.list.current;
    if (item && !isHere) this.list.go(item);
    if (undone.isUndone) announce("Taken back.");
    else toast("It has been changed elsewhere since, and is left as it is.");
  }

  drawLine() {
    const rank = this.list.item?.entry.rank;
    if (rank) this.line.move(rank);
  }

  /** Show `count` documents that a strategy chooses among those that were not looked at. */
  draw(strategy, count) {
    this.count = Math.max(1, Math.min(MOST_DRAWN, count));
    togglePanel("side", false);
    this.filter.setOrder(strategy);
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

  keep(entry) {
    const { document, rank } = entry;
    this.seen.add(document.id);
    const { node } = this.pages.byId.get(document.id);
    this.thumb.show(entry, node, this.marks.label(document.id));
    this.remarking.show(entry, node);
    sessionStorage.setItem(this.place, JSON.stringify({ id: document.id, rank, expansion: this.expansion }));
  }
}

function sayMark(label, reason, isTaken) {
  if (isTaken) return reason === null ? "Mark taken back." : "Reason removed.";
  return `${label[0].toUpperCase()}${label.slice(1)}${reason ? `: ${reason}` : ""}.`;
}
