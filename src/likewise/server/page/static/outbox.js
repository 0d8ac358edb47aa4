// What is on its way to the server: sent again until it is on the disk there, or refused for good.

const WAITS = [1, 2, 4, 8, 15, 30];
const MOST_AT_ONCE = 500;
// What will be refused again however often it is sent.
const FINAL = new Set([400, 404, 413, 422]);

/**
 * A queue of what somebody did, by keys: a new item takes the place of one that waits under the same key.
 *
 * `send([[key, item], …])` sends items that are alike (`isAlike(one, other)`) and waits for the answer.
 * `on.changed(key)` is called when something has to be shown again, `on.queue(count, error)` when the
 * number of waiting items changes, `on.sent(batch, answer)` when the server has some on its disk,
 * and `on.refused(error, batch)` when one was turned down for good.
 */
export class Outbox {
  constructor({ send, isAlike, on }) {
    Object.assign(this, { post: send, isAlike, on });
    this.waiting = new Map();
    this.waiters = [];
    this.tries = 0;
    this.isSending = this.isCareful = false;
    this.trouble = null;
    addEventListener("online", () => this.send());
    addEventListener("beforeunload", (event) => {
      if (this.waiting.size) event.preventDefault();
    });
  }

  put(key, item) {
    this.waiting.set(key, item);
    this.on.changed(key);
    this.tell();
    this.send();
  }

  /** Wait until nothing is on its way, but for at most `seconds`. */
  settled(seconds = 5) {
    if (!this.waiting.size) return Promise.resolve();
    const late = new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return Promise.race([new Promise((resolve) => this.waiters.push(resolve)), late]);
  }

  async send() {
    if (this.isSending || !this.waiting.size) return;
    clearTimeout(this.timer);
    this.isSending = true;
    const batch = this.batch();
    try {
      const answer = await this.post(batch);
      this.tries = 0;
      this.on.sent(batch, answer);
      this.forget(batch);
    } catch (error) {
      this.fail(batch, error);
    }
    this.isSending = false;
    if (!this.tries) this.send();
  }

  /** Return waiting items that are alike; only one, if the batch before was refused. */
  batch() {
    const [[, first]] = this.waiting;
    const alike = [...this.waiting].filter(([, item]) => this.isAlike(first, item));
    return alike.slice(0, this.isCareful ? 1 : MOST_AT_ONCE);
  }

  fail(batch, error) {
    if (!FINAL.has(error.status)) {
      const wait = Math.max(error.retryAfter ?? 0, WAITS[Math.min(this.tries, WAITS.length - 1)]);
      this.tries += 1;
      this.timer = setTimeout(() => this.send(), wait * 1000);
      this.tell(error);
    } else if (batch.length > 1) {
      this.isCareful = true;
    } else {
      this.forget(batch);
      this.on.refused(error, batch);
    }
  }

  /** Remove what was sent, unless a new item has taken its place. */
  forget(batch) {
    const sent = batch.filter(([key, item]) => this.waiting.get(key) === item);
    for (const [key] of sent) this.waiting.delete(key);
    for (const [key] of sent) this.on.changed(key);
    if (!this.waiting.size) {
      this.isCareful = false;
      for (const resolve of this.waiters.splice(0)) resolve();
    }
    this.tell();
  }

  tell(error = null) {
    this.trouble = this.tries ? error ?? this.trouble : null;
    this.on.queue(this.waiting.size, this.trouble);
  }
}
