// The marks of a session: shown at once, saved at once, taken back, and kept alike in all tabs.

import { get, ofSession, post } from "./api.js";

const WAITS = [1, 2, 4, 8, 15, 30];
const MOST_AT_ONCE = 500;
const UNMARKED = Object.freeze({ label: null, strategy: null });
// What will be refused again however often it is sent.
const FINAL = new Set([400, 404, 413, 422]);

/**
 * What is known of marks, and the queue of those that are on their way.
 *
 * `on.changed(id)` is called when a document has to be shown anew, `on.queue(count, error)` when
 * the number of unsaved marks changes, `on.saved()` when the server has some of them on its disk,
 * `on.refused(error)` when one was turned down for good.
 */
export class Marks {
  constructor(session, on) {
    this.path = ofSession(session, "marks");
    this.on = on;
    this.known = new Map();
    this.waiting = new Map();
    this.done = [];
    this.given = 0;
    this.last = 0;
    this.tries = 0;
    this.waiters = [];
    this.isSending = false;
    this.channel = new BroadcastChannel(`likewise.marks.${session}`);
    this.channel.onmessage = ({ data }) => this.hear(data);
    addEventListener("online", () => this.send());
    addEventListener("beforeunload", (event) => {
      if (this.waiting.size) event.preventDefault();
    });
  }

  label(id) {
    return this.at(id).label;
  }

  at(id) {
    return this.waiting.get(id) ?? this.known.get(id) ?? UNMARKED;
  }

  isSaving(id) {
    return this.waiting.has(id);
  }

  /** How many are marked relevant, how many at all, and how many marks were given; those on their way too, or not. */
  count({ unsaved = true } = {}) {
    const labels = new Map([...this.known, ...(unsaved ? this.waiting : [])].map(([id, { label }]) => [id, label]));
    const standing = [...labels.values()].filter(Boolean);
    const relevant = standing.filter((label) => label === "relevant").length;
    return { relevant, marked: standing.length, given: this.given + (unsaved ? this.waiting.size : 0) };
  }

  get canUndo() {
    return this.done.length > 0;
  }

  /** Mark a document, or with null take its mark back. */
  give(id, label, strategy = null) {
    const before = this.at(id);
    if (before.label === label) return;
    const now = { label, strategy };
    this.done.push({ id, before, now });
    this.queue(id, now);
  }

  /**
   * Take back what this tab did last; returns the document's id, and whether it was taken back:
   * where somebody else has marked it otherwise since, that stays.
   */
  undo() {
    const last = this.done.pop();
    if (!last) return null;
    const isOurs = this.label(last.id) === last.now.label;
    if (isOurs) this.queue(last.id, { ...last.before });
    return { id: last.id, isUndone: isOurs };
  }

  /** Ask for all marks anew: other tabs, or commands, may have given some. */
  async refresh() {
    const answer = await get(this.path);
    // An answer that is older than what was acknowledged meanwhile says nothing new.
    if (answer.last < this.last) return;
    this.last = answer.last;
    const before = this.known;
    this.known = new Map(answer.marks.map(({ document, label, strategy }) => [document, { label, strategy }]));
    for (const id of new Set([...before.keys(), ...this.known.keys()])) {
      if (before.get(id)?.label !== this.known.get(id)?.label) this.on.changed(id);
    }
  }

  /** Wait until nothing is on its way, but no longer than so many seconds. */
  settled(seconds = 5) {
    if (!this.waiting.size) return Promise.resolve();
    const late = new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return Promise.race([new Promise((resolve) => this.waiters.push(resolve)), late]);
  }

  queue(id, mark) {
    this.waiting.set(id, mark);
    this.on.changed(id);
    this.told();
    this.send();
  }

  async send() {
    if (this.isSending || !this.waiting.size) return;
    clearTimeout(this.timer);
    this.isSending = true;
    const batch = this.batch();
    try {
      const answer = await post(this.path, request(batch), { keepalive: true });
      this.acknowledge(batch, answer);
    } catch (error) {
      this.fail(batch, error);
    }
    this.isSending = false;
    if (!this.tries) this.send();
  }

  /** Take what was chosen alike; alone, if the batch before it was refused. */
  batch() {
    const [[, first]] = this.waiting;
    const alike = [...this.waiting].filter(([, mark]) => mark.strategy === first.strategy);
    return alike.slice(0, this.isCareful ? 1 : MOST_AT_ONCE);
  }

  acknowledge(batch, answer) {
    this.tries = 0;
    const expected = this.last + answer.new + answer.changed.length;
    this.take(batch);
    this.channel.postMessage({ batch, last: answer.last });
    const others = answer.last > expected;
    this.last = Math.max(this.last, answer.last);
    this.forget(batch);
    this.on.saved();
    if (others) this.refresh().catch(() => {});
  }

  fail(batch, error) {
    if (!FINAL.has(error.status)) {
      const wait = Math.max(error.retryAfter ?? 0, WAITS[Math.min(this.tries, WAITS.length - 1)]);
      this.tries += 1;
      this.timer = setTimeout(() => this.send(), wait * 1000);
      this.told(error);
    } else if (batch.length > 1) {
      this.isCareful = true;
    } else {
      this.forget(batch);
      this.on.refused(error);
    }
  }

  take(batch) {
    this.given += batch.length;
    for (const [id, mark] of batch) this.known.set(id, mark);
  }

  /** Let go of what was sent, unless it was marked anew meanwhile. */
  forget(batch) {
    const sent = batch.filter(([id, mark]) => this.waiting.get(id) === mark);
    for (const [id] of sent) this.waiting.delete(id);
    for (const [id] of sent) this.on.changed(id);
    if (this.waiting.size) return this.told();
    this.isCareful = false;
    for (const resolve of this.waiters.splice(0)) resolve();
    this.told();
  }

  told(error = null) {
    this.on.queue(this.waiting.size, this.tries ? error ?? this.trouble : null);
    this.trouble = this.tries ? error ?? this.trouble : null;
  }

  hear({ batch, last }) {
    this.take(batch);
    this.last = Math.max(this.last, last);
    for (const [id] of batch) this.on.changed(id);
    this.on.saved();
  }
}

function request(batch) {
  const labels = Object.fromEntries(batch.map(([id, mark]) => [id, mark.label]));
  return { labels, strategy: batch[0][1].strategy };
}
