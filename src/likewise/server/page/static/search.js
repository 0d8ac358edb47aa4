// The search over the library, to pick papers from.

import { get, isAborted } from "./api.js";
import { announce, byId, element, fill } from "./dom.js";
import { inLibrary } from "./library.js";
import { counted, cut, sentence } from "./words.js";

const PAGE = 10;
const FARTHEST = 10_000;
const PAUSE = 300;

/** Search as one types, and put what is picked into the draft. */
export function searchLibrary(draft) {
  const search = new LibrarySearch(draft);
  const input = byId("search");
  let timer;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => search.begin(input.value), PAUSE);
  });
  byId("search-form").addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    search.begin(input.value, { isAsked: true });
  });
  byId("search-more").addEventListener("click", () => search.more());
  draft.listeners.push(() => search.showPicked());
  if (input.value) search.begin(input.value);
}

class LibrarySearch {
  constructor(draft) {
    this.draft = draft;
    this.list = byId("search-results");
    this.state = byId("search-state");
    this.rest = byId("search-more");
    this.words = this.said = "";
    this.documents = [];
  }

  begin(words, { isAsked = false } = {}) {
    const wanted = words.trim();
    if (wanted === this.words && !isAsked) return;
    this.words = wanted;
    // An answer on its way is for other words.
    this.stop?.abort();
    if (wanted) this.look(0);
    else this.show([], { hasMore: false, said: "" });
  }

  async more() {
    const first = this.documents.length;
    await this.look(first);
    this.list.children[first]?.querySelector("summary, button")?.focus();
  }

  async look(offset) {
    this.stop?.abort();
    this.stop = new AbortController();
    const { words } = this;
    try {
      const path = inLibrary("/api/search", { words, limit: PAGE, offset });
      const { documents, more, complaint } = await get(path, { signal: this.stop.signal });
      const all = [...(offset ? this.documents : []), ...documents.map((found) => found.document)];
      const hasMore = more && all.length < FARTHEST;
      const found = `${hasMore ? "The best " : ""}${counted(all.length, "document")}`;
      const said = all.length ? found : `Nothing found for “${cut(words, 60)}”.`;
      this.show(all, { hasMore, said: complaint ? `${said} ${sentence(complaint)}` : said });
    } catch (error) {
      if (!isAborted(error)) this.fail(error);
    }
  }

  show(documents, { hasMore, said }) {
    this.documents = documents;
    this.state.className = "note";
    this.said = said;
    if (said) announce(said);
    this.rest.hidden = !hasMore;
    fill(this.list, documents.map((document) => this.row(document)));
    this.showPicked();
  }

  fail(error) {
    this.words = "";
    this.state.className = "error";
    this.state.textContent = error.message;
    announce(error.message);
  }

  row(document) {
    const about = [document.authors[0], document.year, document.journal].filter(Boolean).join(" · ");
    const title = document.title || document.id;
    const head = [element("span", { class: "title" }, title), element("span", { class: "note" }, about)];
    const abstract = element("p", { class: "abstract" }, document.abstract);
    const text = document.abstract ? element("details", {}, element("summary", {}, head), abstract) : head;
    const pick = element("button", { type: "button", class: "pick", onclick: () => this.pick(document) });
    return element("li", { class: "paper" }, element("div", { class: "paper-text" }, text), pick);
  }

  pick(document) {
    const title = cut(document.title || document.id, 80);
    if (this.draft.has(document.id)) {
      this.draft.drop(document.id);
      announce(`Removed: ${title}`);
    } else {
      this.draft.add({ matched: [document], text_only: [], not_found: [], problems: [] });
      announce(`Added: ${title}`);
    }
  }

  showPicked() {
    const picked = this.documents.filter(({ id }) => this.draft.has(id)).length;
    if (this.state.className === "note") {
      this.state.textContent = picked ? `${this.said}, ${picked} of them picked` : this.said;
    }
    this.documents.forEach((document, at) => {
      const button = this.list.children[at].querySelector(".pick");
      const isPicked = this.draft.has(document.id);
      button.textContent = isPicked ? "Remove" : "Add";
      button.setAttribute("aria-label", `${button.textContent}: ${cut(document.title || document.id, 80)}`);
      this.list.children[at].classList.toggle("picked", isPicked);
    });
  }
}
