// Learning by itself: after some marks, and in pauses, while the reviewer reads on.

import { byId } from "./dom.js";

const SWITCH = "likewise.learns";
const SHARE = 1 / 100;
const SHARE_IN_PAUSES = 1 / 1000;
const PAUSE = 10_000;
// After this many pauses in a row somebody is resting: then every mark is learned from.
const REST = 3;

/**
 * Decides when to learn; the browser keeps the switch.
 *
 * `start()` starts to learn, and may be refused; `mayStart()` tells whether that is possible now. Reading
 * alone starts nothing: somebody has to mark in this tab.
 */
export class SelfLearning {
  constructor({ start, mayStart }) {
    Object.assign(this, { start, mayStart });
    this.pool = this.unlearned = this.notBefore = this.pauses = 0;
    this.isAtWork = this.isStopped = false;
    this.box = byId("learns-itself");
    this.box.checked = localStorage.getItem(SWITCH) !== "off";
    this.box.addEventListener("change", () => this.choose());
  }

  choose() {
    localStorage.setItem(SWITCH, this.box.checked ? "on" : "off");
    this.isStopped = false;
    this.consider();
  }

  /** Note that something was marked here; a pause begins when that has not happened for a while. */
  mark() {
    this.isAtWork = true;
    this.pauses = 0;
    this.wait();
  }

  /** Take the number of marks that the server has not learned from. */
  tell({ unlearned, pool }) {
    Object.assign(this, { unlearned, pool });
    if (!this.consider() && unlearned && !this.timer) this.wait();
  }

  /** Note that it failed: it is not tried again until somebody uses the switch. */
  stop() {
    this.isStopped = true;
  }

  wait(pause = PAUSE) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.pauses += 1;
      if (!this.consider(this.pauses < REST ? SHARE_IN_PAUSES : 0) && this.unlearned && this.isAtWork) this.wait();
    }, pause);
  }

  /** Learn, if there is enough to learn from; returns whether it has started. */
  consider(share = SHARE) {
    const isOn = this.box.checked && this.isAtWork && !this.isStopped && Date.now() >= this.notBefore;
    const enough = Math.max(1, Math.floor(this.pool * share));
    if (!isOn || this.unlearned < enough || !this.mayStart()) return false;
    this.begin();
    return true;
  }

  async begin() {
    try {
      await this.start();
    } catch (error) {
      // Others may be learning just now, so it can wait.
      this.notBefore = Date.now() + 1000 * (error.retryAfter || PAUSE / 1000);
    }
  }
}
