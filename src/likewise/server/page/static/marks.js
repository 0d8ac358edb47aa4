// The marks of a session: shown at once, saved at once, taken back, and the same in all tabs.

import { get, ofSession, post } from "./api.js";
import { Outbox } from "./outbox.js";

const UNMARKED = Object.freeze({ label: null, strategy: null, reason: "" });

/**
 * The marks that are known, and those that are on their way.
 *
 * `on.changed(id)` is called when a document has to be shown again, `on.queue(count, error)` when
 * the number of unsaved marks changes, `on.saved()` when the server has some of them on its disk,
 * `on.refused(error)` when one was turned down for good. `on.lostReason(reason)` tells whether a
 * reason is no longer in the list.
 */
export class Marks {
  constructor(session, on) {
    this.path = ofSession(session, "marks");
    this.on = on;
    this.known = new Map();
    // What this tab did, the latest last: ids of documents, and functions that take it back if it still stands.
    this.done = [];
    this.given = 0;
    this.last = 0;
    this.outbox = new Outbox({
      send: (batch) => this.send(batch),
      isAlike: (one, other) => one.strategy === other.strategy && one.reason === other.reason,
      on: { changed: on.changed, queue: on.queue, refused: on.refused, sent: (...sent) => this.acknowledge(...sent) },
    });
    this.channel = new BroadcastChannel(`likewise.marks.${session}`);
    this.channel.onmessage = ({ data }) => this.hear(data);
  }

  label(id) {
    return this.at(id).label;
  }

  /** Why a document was excluded; "" if no reason was given, or it was not excluded. */
  reason(id) {
    return this.at(id).reason;
  }

  at(id) {
    return this.outbox.waiting.get(id) ?? this.known.get(id) ?? UNMARKED;
  }

  isSaving(id) {
    return this.outbox.waiting.has(id);
  }

  /** Count the documents marked relevant, those marked at all, and the labels given, with or without `unsaved` ones. */
  count({ unsaved = true } = {}) {
    const waiting = unsaved ? [...this.outbox.waiting] : [];
    const labels = new Map([...this.known, ...waiting].map(([id, { label }]) => [id, label]));
    const standing = [...labels.values()].filter(Boolean);
    const relevant = standing.filter((label) => label === "relevant").length;
    return { relevant, marked: standing.length, given: this.given + this.countLabels(waiting) };
  }

  /** How many are excluded for each reason, by its name. */
  countReasons() {
    const counts = new Map();
    for (const { reason } of new Map([...this.known, ...this.outbox.waiting]).values()) {
      if (reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
    return counts;
  }

  get canUndo() {
    return this.done.length > 0;
  }

  /** Mark a document, or with null take its mark back; the reason is one for exclusion. */
  give(id, label, { strategy = null, reason = "" } = {}) {
    const before = this.at(id);
    if (before.label === label && before.reason === reason) return;
    // A reason that is given later does not change how the document was chosen.
    const now = { label, strategy: before.label === label ? before.strategy : strategy, reason };
    this.done.push({ id, takeBack: () => this.restore(id, { before, now }) });
    this.outbox.put(id, now);
  }

  /** Restore a document's earlier mark; false if somebody else has changed the mark since: then that stays. */
  restore(id, { before, now }) {
    const { label, reason } = this.at(id);
    const isOurs = label === now.label && reason === now.reason;
    if (isOurs) this.outbox.put(id, { ...before });
    return isOurs;
  }

  /** Take back what this tab did last, even a tag or a note; returns the document's id, and whether it was taken back. */
  undo() {
    const last = this.done.pop();
    return last ? { id: last.id, isUndone: last.takeBack() } : null;
  }

  /** Ask for all marks again: other tabs, or commands, may have given some. */
  async refresh() {
    const answer = await get(this.path);
    // An answer that is older than what was acknowledged meanwhile says nothing new.
    if (answer.last < this.last) return;
    this.last = answer.last;
    const before = this.known;
    this.known = new Map(answer.marks.map(({ document, label, strategy, reason }) => [document, { label, strategy, reason }]));
    for (const id of new Set([...before.keys(), ...this.known.keys()])) {
      const [old, now] = [before.get(id), this.known.get(id)];
      if (old?.label !== now?.label || old?.reason !== now?.reason) this.on.changed(id);
    }
  }

  settled(seconds) {
    return this.outbox.settled(seconds);
  }

  /** Send marks that are alike; if their reason was removed from the list meanwhile, save them without it. */
  async send(batch) {
    const [[, { strategy, label, reason }]] = batch;
    const labels = Object.fromEntries(batch.map(([id, mark]) => [id, mark.label]));
    const isTold = batch.some(([, mark]) => mark.label === "irrelevant");
    const ask = (why) => post(this.path, { labels, strategy, reason: isTold ? why : null }, { keepalive: true });
    try {
      return await ask(reason);
    } catch (error) {
      if (error.status !== 409 || !reason || label !== "irrelevant" || !(await this.on.lostReason(reason))) throw error;
      for (const [, mark] of batch) mark.reason = "";
      return ask("");
    }
  }

  acknowledge(batch, answer) {
    const expected = this.last + answer.new + answer.changed.length;
    this.take(batch);
    this.channel.postMessage({ batch, last: answer.last });
    // Others have marked too; news of what they did later may have come before this answer.
    const isSurprise = answer.last !== expected;
    this.last = Math.max(this.last, answer.last);
    this.on.saved();
    if (isSurprise) this.refresh().catch(() => {});
  }

  take(batch) {
    this.given += this.countLabels(batch);
    for (const [id, mark] of batch) this.known.set(id, mark);
  }

  /** Count the marks whose label differs from the known one: a reason alone teaches nothing. */
  countLabels(batch) {
    return batch.filter(([id, { label }]) => label !== (this.known.get(id)?.label ?? null)).length;
  }

  hear({ batch, last }) {
    const isOld = last < this.last;
    this.take(batch);
    this.last = Math.max(this.last, last);
    for (const [id] of batch) this.on.changed(id);
    this.on.saved();
    if (isOld) this.refresh().catch(() => {});
  }
}
