// What is new in a session: when the last look was, what it found, and a button that looks again.

import { Answers, get, ofSession, post } from "./api.js";
import { announce, byId, element, toast } from "./dom.js";
import { counted, exactly, number, since } from "./words.js";

/** Make the badge of a document that a look found at some time; none for others. */
export const newBadge = (time) => (time ? element("span", { class: "badge new", title: `Found ${exactly(time)}` }, "new") : null);

/**
 * What is new, beside the list.
 *
 * `on.begin()` is called before a look is asked for, and may wait; `on.follow(asked)` with the promise of the job that looks;
 * `on.filter(words)` shows what a filter keeps.
 */
export class News {
  constructor(session, on) {
    this.path = `${ofSession(session)}/looks`;
    this.on = on;
    this.answers = new Answers();
    this.isLooking = false;
    this.result = "";
    byId("look").addEventListener("click", () => this.start());
    byId("show-new").addEventListener("click", () => on.filter("is:new"));
  }

  /** Say when the last look was, and how many documents are new; once a look is over, what it found. */
  async refresh({ isOver = true } = {}) {
    const answer = await this.answers.read(get(this.path));
    if (!answer) return;
    const { since: time, new: count, looks, source, source_label: label } = answer;
    this.source = source;
    byId("look").textContent = label ? `Look for new in ${label}` : "Look for new";
    byId("news").hidden = false;
    const note = byId("news-note");
    const last = time ? `Last looked ${since(time)}.` : "Nobody has looked yet.";
    // The result of a look from here stays, however often the page is brought up to date.
    note.textContent = this.result || last;
    note.title = exactly(time);
    byId("show-new").hidden = !count;
    byId("show-new").textContent = `Show ${counted(count, "new document")}`;
    if (this.isLooking && !isOver) return;
    // A look that found nothing is not listed.
    const latest = looks[0]?.number === this.told ? null : looks[0];
    this.told = looks[0]?.number;
    if (!this.isLooking) return;
    this.allow(true);
    const found = latest?.finds.length ?? 0;
    const warned = Object.keys(latest?.warnings ?? {}).length;
    this.result = [
      found ? `Found ${counted(found, "new document")}.` : "Nothing new.",
      warned ? `Retracted or doubted since: ${number(warned)}.` : "",
    ].join(" ");
    note.textContent = this.result;
    announce(this.result);
  }

  async start() {
    this.allow(false);
    try {
      await this.on.begin();
      await this.on.follow(post(this.path, { source: this.source }));
      this.isLooking = true;
    } catch (error) {
      this.allow(true);
      toast(error);
    }
  }

  /** Allow another look, or not; also called when one failed. */
  allow(isAllowed) {
    this.isLooking &&= !isAllowed;
    byId("look").disabled = !isAllowed;
  }
}
