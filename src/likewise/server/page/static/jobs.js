// Follows a job: by the server's events, and by asking if these do not come through.

import { get } from "./api.js";

const POLL_SECONDS = 2;
const FAILURES_BEFORE_POLLING = 3;
const ENDED = new Set(["done", "failed", "cancelled"]);

export const hasEnded = (job) => ENDED.has(job.state);

/**
 * Call `onJob(job)` with each state of a job until it has ended; returns a function that stops this.
 *
 * A hidden tab closes its stream, since browsers allow few connections to a host, and opens another
 * when it is seen again. `onTrouble(error)` is called while the server can't be reached, and with
 * null when it can again.
 */
export function followJob(id, onJob, onTrouble = () => {}) {
  const follower = new Follower(id, onJob, onTrouble);
  follower.begin();
  return () => follower.stop();
}

class Follower {
  constructor(id, onJob, onTrouble) {
    this.path = `/api/jobs/${encodeURIComponent(id)}`;
    this.onJob = onJob;
    this.onTrouble = onTrouble;
    this.failures = 0;
    this.isStopped = false;
    this.onSeen = () => (document.hidden ? this.pause() : this.resume());
  }

  begin() {
    document.addEventListener("visibilitychange", this.onSeen);
    if (!document.hidden) this.resume();
  }

  stop() {
    this.isStopped = true;
    document.removeEventListener("visibilitychange", this.onSeen);
    this.pause();
  }

  pause() {
    this.source?.close();
    this.source = null;
    clearTimeout(this.timer);
  }

  resume() {
    this.pause();
    if (this.isStopped) return;
    if (this.failures >= FAILURES_BEFORE_POLLING) this.poll();
    else this.listen();
  }

  listen() {
    this.source = new EventSource(`${this.path}/events`);
    this.source.addEventListener("job", (event) => {
      this.failures = 0;
      this.tell(JSON.parse(event.data));
    });
    this.source.addEventListener("error", () => {
      // The browser's own attempts don't say what is wrong; asking once does.
      this.failures += 1;
      this.pause();
      this.poll();
    });
  }

  async poll() {
    try {
      this.tell(await get(this.path));
    } catch (error) {
      this.onTrouble(error);
      if (error.status === 404) return this.stop();
    }
    if (!this.isStopped && !document.hidden) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.resume(), POLL_SECONDS * 1000);
    }
  }

  tell(job) {
    if (this.isStopped) return;
    this.onTrouble(null);
    if (hasEnded(job)) this.stop();
    this.onJob(job);
  }
}
