// The draft: the papers given so far, before a session is made of them. It survives a reload.

import { libraryId } from "./library.js";
import { cut } from "./words.js";

// Each library has a draft of its own, since another may not hold the same papers.
const KEPT = libraryId ? `likewise.draft.${libraryId}` : "likewise.draft";
const LEAST = 3;
const MOST = 5_000;
const MOST_PROBLEMS = 200;
const PAUSE = 300;
const FIELDS = ["id", "title", "abstract", "year", "authors", "journal", "doi", "pmid", "pmcid"];
// Names that databases and reference managers give to files, and that say nothing about the content.
const NO_NAME = /^(exported|export|citations?|references?|refs|library|records?|savedrecs|scopus|pubmed.*)[\s\d()]*$/i;

/** Papers with their states; all functions in `listeners` are called after each change. */
export class Draft {
  constructor(storage = window.sessionStorage) {
    this.storage = storage;
    this.listeners = [];
    this.isKept = true;
    this.load();
  }

  /** Load what was kept; start empty if that can't be read. */
  load() {
    this.reset();
    try {
      Object.assign(this, JSON.parse(this.storage.getItem(KEPT) ?? "{}"));
      if (![this.items, this.irrelevant, this.problems].every(Array.isArray)) this.reset();
    } catch {
      this.reset();
    }
  }

  /** Load again what was kept, and show it. */
  reload() {
    this.load();
    this.changed();
  }

  reset() {
    Object.assign(this, { items: [], irrelevant: [], problems: [], name: "", isNamed: false });
  }

  /** Add resolved seeds; returns how many are new, not found, and there already. */
  add(resolved, { file = "" } = {}) {
    const found = [
      ...resolved.matched.map((document) => item("matched", document)),
      ...resolved.text_only.map((document) => item("text_only", document)),
      ...resolved.not_found.map(missing),
    ];
    const known = new Set(this.items.map(({ key }) => key));
    const fresh = found.filter(({ key }) => !known.has(key) && known.add(key));
    this.items.push(...fresh);
    const excluded = new Set([...this.irrelevant, ...(resolved.irrelevant ?? []).map(({ id }) => id)]);
    this.irrelevant = [...excluded].filter((id) => !this.has(id));
    this.problems = [...this.problems, ...resolved.problems].slice(-MOST_PROBLEMS);
    if (!this.name && !this.isNamed) this.name = suggested(file, fresh);
    this.changed();
    const unfound = fresh.filter(({ state }) => state === "not_found").length;
    return { added: fresh.length - unfound, unfound, again: found.length - fresh.length };
  }

  has(id) {
    return this.items.some(({ key }) => key === keyOf(id));
  }

  remove(key) {
    this.items = this.items.filter((one) => one.key !== key);
    if (!this.items.length && !this.isNamed) this.name = "";
    this.changed();
  }

  /** Take a document out by its id. */
  drop(id) {
    this.remove(keyOf(id));
  }

  /** Empty the draft; returns a function that brings it back. */
  clear() {
    const { items, irrelevant, problems, name, isNamed } = this;
    this.reset();
    this.changed();
    return () => {
      Object.assign(this, { items: [...items, ...this.items], irrelevant, problems, name, isNamed });
      this.changed();
    };
  }

  /** Name it; nothing else on the page depends on the name, so it is kept when the typing pauses. */
  rename(name) {
    Object.assign(this, { name, isNamed: name !== "" });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), PAUSE);
  }

  /** Keep a name that was typed just now. */
  settle() {
    if (this.timer) this.keep();
    clearTimeout(this.timer);
    this.timer = null;
  }

  count(state) {
    return this.items.filter((one) => one.state === state).length;
  }

  /** How many papers can be learned from. */
  get usable() {
    return this.items.length - this.count("not_found");
  }

  get isEnough() {
    return this.usable >= LEAST && this.items.length <= MOST;
  }

  /** Why a search can't be begun yet, or "". */
  get lack() {
    if (this.items.length > MOST) return `You can give at most ${MOST.toLocaleString("en")} papers; remove some.`;
    if (!this.usable) return "Add at least three papers first.";
    const more = { 1: "one more paper", 2: "two more papers" }[LEAST - this.usable];
    return more ? `Add ${more}: it takes at least three to learn from.` : "";
  }

  /** The papers in the form that the server takes. */
  get papers() {
    return this.items.map(({ paper }) => paper);
  }

  changed() {
    this.keep();
    for (const listener of this.listeners) listener();
  }

  keep() {
    const { items, irrelevant, problems, name, isNamed } = this;
    try {
      const kept = { items, irrelevant, problems, name, isNamed };
      if (items.length || irrelevant.length || isNamed) this.storage.setItem(KEPT, JSON.stringify(kept));
      else this.storage.removeItem(KEPT);
      this.isKept = true;
    } catch {
      this.storage.removeItem(KEPT);
      this.isKept = false;
    }
  }
}

function item(state, document) {
  const { id, title, year, journal, warning } = document;
  // The library has the text of what it holds; of other papers, this is all there is.
  const paper = state === "matched" ? { id } : Object.fromEntries(FIELDS.map((name) => [name, document[name]]));
  return { key: keyOf(id), state, title: title || id, year, journal, warning, paper };
}

function missing(name) {
  const key = `missing ${name.toLowerCase()}`;
  return { key, state: "not_found", title: name, year: null, journal: "", paper: { id: name } };
}

const keyOf = (id) => `paper ${id}`;

function suggested(file, items) {
  const stem = file.replace(/(\.gz)?$/i, "").replace(/\.[^.]*$/, "").replace(/[\s_]+/g, " ").trim();
  if (stem && !NO_NAME.test(stem)) return cut(stem, 80);
  const title = items.find(({ state }) => state !== "not_found")?.title ?? "";
  // Translated titles stand in brackets.
  return cut(title.replace(/^\[(.*)\]\.?$/, "$1"), 80);
}
