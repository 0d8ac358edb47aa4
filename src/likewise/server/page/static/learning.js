// Learning: the first time and again, as it happens, and what became of it.

import { get, ofSession, post } from "./api.js";
import { announce, byId, fill, toast } from "./dom.js";
import { hasEnded } from "./jobs.js";
import { jobWords, showProgress } from "./progress.js";

/**
 * The job of a session.
 *
 * `on.begin()` is called before a job is asked for, and may wait; `on.learned()` after one is done.
 */
export class Learning {
  constructor(session, on) {
    this.path = ofSession(session);
    this.on = on;
    this.job = null;
    this.hasExpansion = false;
    for (const button of this.buttons) button.addEventListener("click", () => this.start());
  }

  get buttons() {
    return [byId("start"), byId("learn-again")];
  }

  /** Show the latest job of a session, and follow it if it has not ended. */
  show({ job, expansion }) {
    this.hasExpansion = expansion !== null;
    byId("beginning").hidden = this.hasExpansion;
    if (job && !hasEnded(job)) return this.follow(job);
    this.stop();
    this.say(job);
  }

  async start() {
    this.allow(false);
    try {
      await this.on.begin();
      this.follow(await post(`${this.path}/expansions`));
      announce("Learning has started.");
    } catch (error) {
      // Another tab may have begun: then its job is shown.
      const answer = error.status === 409 ? await get(this.path).catch(() => null) : null;
      if (answer) this.show(answer);
      else this.allow(true);
      toast(error);
    }
  }

  follow(job) {
    if (this.job?.id === job.id && this.following) return;
    this.stop();
    this.job = job;
    this.say(null);
    this.allow(false);
    const place = byId(this.hasExpansion ? "learn-progress" : "start-progress");
    place.hidden = false;
    byId("bar-job").hidden = false;
    this.following = showProgress(place, job, {
      onJob: (next) => (byId("bar-job").textContent = jobWords(next)),
      onEnd: (ended) => this.end(ended),
    });
  }

  async end(job) {
    this.stop();
    if (job.state === "done") await this.on.learned(job);
    else this.say(job);
  }

  stop() {
    this.following?.stop();
    this.following = null;
    for (const name of ["learn-progress", "start-progress"]) {
      fill(byId(name));
      byId(name).hidden = true;
    }
    byId("bar-job").hidden = true;
    this.allow(true);
  }

  /** Say what became of a job that did not come to an end, or without one what can be done. */
  say(job) {
    const place = byId(this.hasExpansion ? "learn-note" : "start-note");
    const hasFailed = job?.state === "failed";
    place.textContent = words(job, this.hasExpansion);
    place.classList.toggle("error", hasFailed);
    place.hidden = !place.textContent;
    byId("start").textContent = job ? "Start again" : "Find the rest";
    if (job && job.state !== "done") announce(place.textContent);
  }

  allow(isAllowed) {
    for (const button of this.buttons) button.disabled = !isAllowed;
    byId("start").hidden = !isAllowed;
    byId("start-hint").hidden = isAllowed;
  }
}

function words(job, hasExpansion) {
  if (job?.state === "failed") return `It failed: ${job.error || "the reason is not known."}`;
  if (job?.state !== "cancelled") return "";
  return hasExpansion ? "Cancelled. The list is as it was." : "Cancelled. Nothing was found yet.";
}
