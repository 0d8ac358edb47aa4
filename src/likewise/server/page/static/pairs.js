// Duplicates in pairs: shown side by side, split, and joined again.

import { address, get, post } from "./api.js";
import { announce, element, fill } from "./dom.js";
import { ofLibrary } from "./library.js";
import { counted } from "./words.js";

const PAGE = 10;
const KINDS = { pmid: "the same PMID", doi: "the same DOI", pmcid: "the same PMCID", title: "the same title and year", id: "the same id", ruling: "you said so" };

/** Make an element that unfolds into the pairs of a library. */
export function pairsOf(id, count) {
  const pairs = new Pairs(id);
  return element(
    "details",
    { class: "more pairs", ontoggle: () => pairs.load() },
    element("summary", {}, `Look at the ${counted(count, "duplicate")} in pairs`),
    pairs.list,
    pairs.error,
    pairs.rest,
  );
}

class Pairs {
  constructor(id) {
    this.id = id;
    this.list = element("ol", { class: "plain" });
    this.error = element("p", { class: "error", role: "alert", hidden: true });
    this.rest = element("button", { type: "button", class: "quiet", hidden: true, onclick: () => this.read() }, "More pairs");
    this.offset = 0;
  }

  load() {
    if (!this.offset) this.read();
  }

  async read() {
    await this.attempt(async () => {
      const { total, duplicates } = await get(address(ofLibrary(this.id, "duplicates"), { offset: this.offset, limit: PAGE }));
      this.offset += duplicates.length;
      this.rest.hidden = this.offset >= total;
      this.list.append(...duplicates.map((pair) => this.row(pair)));
    });
  }

  row(pair) {
    const line = element("li", { class: "pair" });
    return this.showTogether(line, pair);
  }

  showTogether(line, pair) {
    const part = element("button", { type: "button", onclick: () => this.split(line, pair) }, "Split them");
    const said = `${KINDS[pair.matched] ?? pair.matched}${pair.records > 2 ? ` · ${pair.records} records in all` : ""}`;
    const actions = element("div", { class: "beside" }, element("p", { class: "note" }, `One paper: ${said}`), part);
    return fill(line, element("div", { class: "sides" }, record(pair.kept), record(pair.other, pair.place)), actions);
  }

  split(line, pair) {
    return this.attempt(async () => {
      const { into } = await post(ofLibrary(this.id, "duplicates", "split"), { paper: pair.paper });
      announce("They are separate papers now");
      const undo = element("button", { type: "button", class: "quiet", onclick: () => this.join(line, pair, into) }, "Undo");
      const said = element("p", { class: "note" }, `${counted(into.length, "paper")} now`);
      fill(line.lastElementChild, said, undo);
      undo.focus();
    });
  }

  join(line, pair, [kept, ...others]) {
    return this.attempt(async () => {
      await post(ofLibrary(this.id, "duplicates", "join"), { kept, others });
      this.showTogether(line, pair).querySelector("button").focus();
    });
  }

  /** Do one thing at a time, so that pressing a button twice does nothing twice. */
  async attempt(act) {
    if (this.isBusy) return;
    this.isBusy = true;
    this.error.hidden = true;
    try {
      await act();
    } catch (error) {
      this.error.hidden = false;
      this.error.textContent = error.message;
    }
    this.isBusy = false;
  }
}

function record({ title, authors, year, journal, doi, pmid, id }, place = "") {
  const about = [authors.slice(0, 3).join("; "), year, journal].filter(Boolean).join(" · ");
  const names = [pmid && `PMID ${pmid}`, doi, !pmid && !doi && id, place].filter(Boolean).join(" · ");
  return element(
    "div",
    { class: "side" },
    element("p", { class: "title" }, title || id),
    element("p", { class: "note" }, about),
    element("p", { class: "note" }, names),
  );
}
