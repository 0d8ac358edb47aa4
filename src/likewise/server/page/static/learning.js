// Learning: the first time and again, as it happens, and what became of it.

import { get, ofSession, post } from "./api.js";
import { announce, byId, fill, toast } from "./dom.js";
import { followJob, hasEnded } from "./jobs.js";
import { jobWords, showProgress } from "./progress.js";

/**
 * The job of a session; `answers` are those about the session, which a new job makes old.
 *
 * `on.begin()` is called before a job is asked for, and may wait; `on.learned()` after a job that somebody
 * waited for, `on.renewed()` after one in the background, `on.failed()` after one that failed or was cancelled.
 */
export class Learning {
  constructor(session, answers, on) {
    this.path = ofSession(session);
    Object.assign(this, { answers, on });
    this.job = null;
    this.hasExpansion = false;
    for (const button of this.buttons) button.addEventListener("click", () => this.start());
  }

  /** Whether a job has been asked for, or runs. */
  get isBusy() {
    return this.isStarting || Boolean(this.following);
  }

  get buttons() {
    return [byId("start"), byId("learn-again")];
  }

  /** Show the latest job of a session, and follow it if it has not ended. */
  show({ job, expansion }) {
    this.hasExpansion = expansion !== null;
    byId("beginning").hidden = this.hasExpansion;
    // People can read on in the list that is there, whoever asked for the job.
    if (job && !hasEnded(job)) return this.follow(job, { isQuiet: this.hasExpansion });
    this.stop();
    this.say(job);
  }

  /** Learn in the background; throws an error if the server refuses. */
  startQuietly() {
    return this.ask({ isQuiet: true });
  }

  /** Ask the server to learn; until it has answered, nothing else on this page asks for that. */
  async ask({ isQuiet = false } = {}) {
    this.isStarting = true;
    try {
      await this.on.begin();
      this.follow(await this.answers.change(post(`${this.path}/expansions`)), { isQuiet });
    } finally {
      this.isStarting = false;
    }
  }

  async start() {
    this.allow(false);
    try {
      await this.ask();
      announce("Learning has started.");
    } catch (error) {
      // Another tab may have begun: then its job is shown.
      const answer = error.status === 409 ? await this.answers.read(get(this.path)).catch(() => null) : null;
      if (answer) this.show(answer);
      else this.allow(true);
      toast(error);
    }
  }

  follow(job, { isQuiet = false } = {}) {
    if (this.job?.id === job.id && this.following) return;
    this.stop();
    this.job = job;
    this.say(null);
    this.allow(false);
    if (isQuiet) return this.followQuietly(job);
    const place = byId(this.hasExpansion ? "learn-progress" : "start-progress");
    place.hidden = false;
    byId("bar-job").hidden = false;
    this.following = showProgress(place, job, {
      onJob: (next) => (byId("bar-job").textContent = jobWords(next)),
      onEnd: (ended) => this.end(ended),
    });
  }

  followQuietly(job) {
    this.tell("Learning …");
    const told = (next) => hasEnded(next) && this.end(next, this.on.renewed);
    this.following = { stop: followJob(job.id, told) };
  }

  async end(job, done = this.on.learned) {
    this.stop();
    if (job.state === "done") return done(job);
    this.on.failed();
    this.say(job);
  }

  /** Say quietly what learning does, or what came of it; above the list, in a word or two. */
  tell(text, short = text) {
    const place = byId("learn-note");
    place.textContent = text;
    place.classList.remove("error");
    place.hidden = !text;
    byId("learned").textContent = short;
  }

  stop() {
    this.following?.stop();
    this.following = null;
    for (const name of ["learn-progress", "start-progress"]) {
      fill(byId(name));
      byId(name).hidden = true;
    }
    byId("bar-job").hidden = true;
    byId("learned").textContent = "";
    this.allow(true);
  }

  /** Say what became of a job that failed or was cancelled; without a job, say nothing. */
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
