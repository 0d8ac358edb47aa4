// Tags and notes on documents: shown at once, saved like marks, and the same in all tabs.

import { Answers, get, ofSession, post, put } from "./api.js";
import { Outbox } from "./outbox.js";

const NOTHING = Object.freeze({ tags: Object.freeze([]), note: "" });
// Browsers send at most 64 KB after a page is closed.
const MOST_BEYOND = 15_000;
const SEPARATORS = /[;,\n]+/;

/** Return the tags of a text, separated by commas, semicolons or line breaks, each once. */
export function readTags(text) {
  const tags = text.split(SEPARATORS).map((tag) => tag.replace(/[\s\p{C}]+/gu, " ").trim());
  return tags.filter((tag, at) => tag && tags.findIndex((one) => isSame(one, tag)) === at);
}

/** Tags that differ only in case are the same. */
const isSame = (one, other) => one.toLowerCase() === other.toLowerCase();

/**
 * The tags and notes on documents, also those on their way; how to take them back is added to `done`.
 *
 * `on.changed(id)` is called when a document has to be shown again, `on.queue(count, error)` when the
 * number of those on their way changes, `on.refused(error)` when one was turned down for good.
 */
export class Remarks {
  constructor(session, done, on) {
    Object.assign(this, { session, done, on });
    this.known = new Map();
    this.tags = [];
    this.answers = new Answers();
    this.turn = 0;
    this.changes = new Map();
    this.outbox = new Outbox({
      send: ([[, item]]) => this.send(item),
      isAlike: (one, other) => one === other,
      on: {
        changed: (key) => on.changed(idOf(key)),
        queue: on.queue,
        refused: on.refused,
        sent: ([[, item]], answer) => this.acknowledge(item, answer),
      },
    });
    this.channel = new BroadcastChannel(`likewise.remarks.${session}`);
    this.channel.onmessage = ({ data }) => this.hear(data);
  }

  /** Ask which tags there are, to propose them. */
  async refresh() {
    const answer = await this.answers.read(get(ofSession(this.session, "tags")));
    if (answer) this.tags = answer.tags.map(({ tag }) => tag);
  }

  /** The tags of a document and one's note on it. */
  at(id) {
    const waiting = [...this.outbox.waiting.values()].filter((item) => item.id === id);
    return waiting.reduce(change, this.known.get(id) ?? NOTHING);
  }

  isSaving(id) {
    return [...this.outbox.waiting.values()].some((item) => item.id === id);
  }

  /** Take the tags and notes from a list that was asked for in `turn`, except where newer ones were saved since. */
  take(entries, turn) {
    for (const { document, tags, note } of entries) {
      if ((this.changes.get(document.id) ?? 0) <= turn) this.known.set(document.id, { tags, note });
    }
  }

  /** Give a document a tag, or take it off; the tag keeps its first spelling. */
  tag(id, name, isGiven = true) {
    const { tags } = this.at(id);
    if (tags.some((one) => isSame(one, name)) === isGiven) return;
    const tag = [...tags, ...this.tags].find((one) => isSame(one, name)) ?? name;
    if (!this.tags.includes(tag)) this.tags.push(tag);
    const give = (isNow) => this.outbox.put(keyOf(id, tag.toLowerCase()), { id, tag, isGiven: isNow });
    const takeBack = () => {
      const isOurs = this.at(id).tags.some((one) => isSame(one, tag)) === isGiven;
      if (isOurs) give(!isGiven);
      return isOurs;
    };
    this.done.push({ id, takeBack });
    give(isGiven);
  }

  /** Write the note on a document in place of the old one; "" takes it back. */
  write(id, text) {
    const note = text.trim();
    const before = this.at(id).note;
    if (note === before) return;
    const put = (now) => this.outbox.put(keyOf(id, ""), { id, note: now });
    const step = { id, note };
    step.takeBack = () => {
      const isOurs = this.at(id).note === step.note;
      if (isOurs) put(before);
      return isOurs;
    };
    // A note is saved at every pause in writing, but taken back as a whole.
    const last = this.done.at(-1);
    if (last?.id === id && last.note === before) last.note = note;
    else this.done.push(step);
    put(note);
  }

  send(item) {
    const { id, tag, isGiven, note } = item;
    if (tag === undefined) {
      const keepalive = note.length < MOST_BEYOND;
      return put(ofSession(this.session, "note"), { document: id, text: note }, { keepalive });
    }
    const [add, remove] = isGiven ? [[tag], []] : [[], [tag]];
    return this.answers.change(post(ofSession(this.session, "tags"), { ids: [id], add, remove }, { keepalive: true }));
  }

  acknowledge(item, { tags }) {
    if (tags) this.tags = tags.map(({ tag }) => tag);
    this.keep(item);
    this.channel.postMessage(item);
  }

  hear(item) {
    this.keep(item);
    this.on.changed(item.id);
  }

  keep(item) {
    this.known.set(item.id, change(this.known.get(item.id) ?? NOTHING, item));
    this.changes.set(item.id, (this.turn += 1));
  }
}

/** Return the tags and the note of a document after a change. */
function change({ tags, note }, item) {
  if (item.tag === undefined) return { tags, note: item.note };
  const others = tags.filter((one) => !isSame(one, item.tag));
  return { tags: item.isGiven ? [...others, item.tag] : others, note };
}

const keyOf = (id, what) => `${what}\n${id}`;

const idOf = (key) => key.slice(key.indexOf("\n") + 1);
