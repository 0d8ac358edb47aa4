// The part of the ranking that is in the page: it grows where one scrolls to, and drops the rest.

const PAGE = 50;
const MOST = 300;
const MOST_ASKED = 200;
const AHEAD = "1200px";

/**
 * The entries that are shown.
 *
 * `read(offset, limit, around)` asks for a page, from an offset on or around a document, `make(entry, node)`
 * makes an item of the list, or updates one, `belongs(entry)` tells whether a document would still be in this
 * view: marks move documents out of some views, which moves the offsets of all that come after them.
 * `slack()` tells how many may have left it unnoticed: the next page is read from that much further up.
 * `onChange()` is called after each change.
 */
export class Pages {
  constructor(list, { make, belongs, slack, onChange, onError }) {
    Object.assign(this, { list, make, belongs, slack, onChange, onError });
    this.read = null;
    this.turn = 0;
    this.clear();
  }

  clear() {
    this.items = [];
    this.byId = new Map();
    this.before = 0;
    this.total = 0;
    this.isComplete = true;
  }

  /** Show a page from an offset on, or around a document; false if something else was opened meanwhile. */
  open(read, place) {
    const opening = this.load(read, place).finally(() => this.opening === opening && (this.opening = null));
    return (this.opening = opening);
  }

  async load(read, { offset = 0, around = "" } = {}) {
    const turn = (this.turn += 1);
    this.list.setAttribute("aria-busy", "true");
    const answer = await read(offset, PAGE, around).finally(() => turn === this.turn && this.list.removeAttribute("aria-busy"));
    if (turn !== this.turn) return false;
    this.clear();
    this.read = read;
    this.hadFocus = this.list.contains(document.activeElement);
    this.list.replaceChildren();
    this.before = answer.offset ?? 0;
    this.append(answer);
    this.onChange();
    return true;
  }

  /**
   * Show another order around a document that stays in its place; false if something else was opened.
   *
   * `reader()` returns a function that reads a page, `staying()` the item that stays: somebody may move on to another one meanwhile.
   */
  async renew(reader, staying) {
    // What somebody has just asked for comes first, and is then what is renewed.
    while (this.opening) await this.opening.catch(() => {});
    const [turn, read] = [(this.turn += 1), reader()];
    let [item, answer] = [null, null];
    do {
      item = staying();
      answer = await read(this.before, PAGE, item?.entry.document.id);
      if (turn !== this.turn) return false;
    } while (staying() !== item);
    const top = item?.node.getBoundingClientRect().top;
    this.clear();
    Object.assign(this, { read, before: answer.offset });
    this.putAround(item, answer);
    this.onChange();
    if (item) scrollBy({ top: item.node.getBoundingClientRect().top - top, behavior: "instant" });
    return true;
  }

  /** Put the answer around an item, which is never taken out: it may have the focus. */
  putAround(item, answer) {
    const added = this.taken(answer, item);
    // It may no longer belong to this view, but somebody may still be reading it.
    if (item && !added.some(({ node }) => node === item.node)) added.unshift(item);
    if (item) this.byId.set(item.entry.document.id, added.find(({ node }) => node === item.node));
    for (const node of [...this.list.children]) if (node !== item?.node) node.remove();
    const at = added.findIndex(({ node }) => node === item?.node);
    const nodes = added.map(({ node }) => node);
    for (const node of nodes) node.classList.toggle("fresh", node !== item?.node);
    if (at > 0) item.node.before(...nodes.slice(0, at));
    this.list.append(...nodes.slice(at + 1));
    this.items = added;
    this.isComplete = this.before + added.length >= this.total;
  }

  more() {
    return this.alone(async (turn) => {
      if (this.isComplete) return;
      const staying = this.items.filter(({ entry }) => this.belongs(entry)).length;
      const slack = Math.min(this.slack(), staying, MOST_ASKED - PAGE);
      const answer = await this.read(this.before + staying - slack, PAGE + slack);
      if (turn !== this.turn) return;
      keepingPlace(this.items, () => {
        this.append(answer);
        this.dropFirst();
      });
    });
  }

  earlier() {
    return this.alone(async (turn) => {
      const limit = Math.min(PAGE, this.before);
      if (!limit) return;
      const answer = await this.read(this.before - limit, limit);
      if (turn !== this.turn) return;
      keepingPlace(this.items, () => {
        this.prepend(answer);
        this.dropLast();
      });
    });
  }

  /** Load more as the ends of the list come near. */
  watch(start, end) {
    const watched = [
      [start, () => this.before > 0 && this.earlier()],
      [end, () => !this.isComplete && this.more()],
    ];
    for (const [node, load] of watched) {
      const observer = new IntersectionObserver(
        async ([seen]) => {
          if (!seen.isIntersecting || !(await load())) return;
          // An end that is still near after loading is reported only if it is observed anew.
          observer.unobserve(node);
          observer.observe(node);
        },
        { rootMargin: AHEAD },
      );
      observer.observe(node);
    }
  }

  /** Load one thing at a time; whoever asks meanwhile waits for that one. True if something changed. */
  alone(load) {
    if (!this.read) return false;
    this.loading ??= this.changed(load).finally(() => (this.loading = null));
    return this.loading;
  }

  async changed(load) {
    const [turn, first, last] = [this.turn, this.items[0], this.items.at(-1)];
    try {
      await load(turn);
    } catch (error) {
      this.onError(error);
      return false;
    }
    if (turn !== this.turn) return false;
    this.onChange();
    return first !== this.items[0] || last !== this.items.at(-1);
  }

  append(answer) {
    const added = this.taken(answer);
    this.items.push(...added);
    this.list.append(...added.map(({ node }) => node));
    const end = this.before + this.items.filter(({ entry }) => this.belongs(entry)).length;
    this.isComplete = !added.length || end >= this.total;
  }

  prepend(answer) {
    const added = this.taken(answer);
    this.items.unshift(...added);
    this.list.prepend(...added.map(({ node }) => node));
    this.before = answer.offset;
  }

  taken(answer, staying = null) {
    this.total = answer.total ?? answer.entries.length;
    const added = answer.entries
      .filter((entry) => !this.byId.has(entry.document.id))
      .map((entry) => ({ entry, node: this.make(entry, entry.document.id === staying?.entry.document.id ? staying.node : null) }));
    for (const item of added) this.byId.set(item.entry.document.id, item);
    return added;
  }

  dropFirst() {
    const dropped = this.isHeld ? [] : this.items.splice(0, Math.max(0, this.items.length - MOST));
    this.before += dropped.filter(({ entry }) => this.belongs(entry)).length;
    this.letGo(dropped);
  }

  dropLast() {
    const dropped = this.isHeld ? [] : this.items.splice(MOST);
    this.isComplete &&= !dropped.length;
    this.letGo(dropped);
  }

  letGo(dropped) {
    for (const { entry, node } of dropped) {
      this.byId.delete(entry.document.id);
      node.remove();
    }
  }
}

/** Change what is in the list, but keep what is seen in its place. */
function keepingPlace(items, change) {
  const anchor = items.find(({ node }) => node.getBoundingClientRect().bottom > 0)?.node;
  const before = anchor?.getBoundingClientRect().top;
  change();
  if (anchor?.isConnected) {
    scrollBy({ top: anchor.getBoundingClientRect().top - before, behavior: "instant" });
  }
}
