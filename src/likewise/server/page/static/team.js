// Several reviewers: who has marked what, how far they agree, and settling what they disagree on.

import { Answers, address, get, ofSession, post } from "./api.js";
import { announce, byId, element, fill } from "./dom.js";
import { LABELS, markButtons, showPressed } from "./entry.js";
import { actionOf, keyOf } from "./key_choice.js";
import { counted, exactly, number, percent, since } from "./words.js";

const MANY = 200;
const ARROWS = { ArrowDown: "next", ArrowUp: "previous" };
const DIGIT = /^[1-9]$/;

let made = 0;

/** The panel about a session's reviewers; `on.settled()` is called after conflicts were settled. */
export class Team {
  constructor(session, on) {
    this.path = ofSession(session);
    this.own = document.querySelector(".who")?.dataset.reviewer ?? "";
    this.isAlone = null;
    this.answers = new Answers();
    this.conflicts = new Conflicts(this.path, on);
    byId("open-conflicts").addEventListener("click", () => this.open());
  }

  /** Ask how far reviewers agree; if somebody works alone, only once. */
  async refresh() {
    if (this.isAlone) return;
    const found = await this.answers.read(get(`${this.path}/agreement`));
    if (!found) return;
    this.isAlone = !this.own && found.reviewers.length < 2;
    byId("team").hidden = this.isAlone;
    if (!this.isAlone) this.show(found);
  }

  show({ reviewers, pairs, conflicts, settled }) {
    fill(byId("team-work"), this.withOwn(reviewers).map((one) => this.row(one)));
    fill(byId("team-agree"), pairs.filter(({ both }) => both).map((pair) => element("p", {}, agreement(pair))));
    const button = byId("open-conflicts");
    button.textContent = conflicts ? `Settle ${counted(conflicts, "conflict")}` : "No conflict to settle";
    button.classList.toggle("primary", conflicts > 0);
    button.disabled = !conflicts && !settled;
  }

  withOwn(reviewers) {
    const isThere = !this.own || reviewers.some(({ reviewer }) => this.isOwn(reviewer));
    const none = { reviewer: this.own, relevant: 0, irrelevant: 0, maybe: 0, settled: 0, last: "" };
    return isThere ? reviewers : [none, ...reviewers];
  }

  isOwn(reviewer) {
    return reviewer.toLowerCase() === this.own.toLowerCase();
  }

  row({ reviewer, relevant, irrelevant, maybe, settled, last }) {
    const marked = relevant + irrelevant + maybe;
    const title = `${number(relevant)} relevant, ${number(irrelevant)} irrelevant, ${number(maybe)} maybe`;
    const name = [reviewer || "(no name)", this.own && this.isOwn(reviewer) ? " (you)" : ""];
    return element(
      "tr",
      {},
      element("th", { scope: "row", dir: "auto" }, name),
      element("td", { title }, number(marked)),
      element("td", {}, number(settled)),
      element("td", {}, last && element("time", { datetime: last, title: exactly(last) }, since(last))),
    );
  }

  open() {
    if (!byId("open-conflicts").disabled && !this.isAlone) return this.conflicts.open();
    return announce("No conflict to settle.");
  }
}

function agreement({ first, second, both, agreed, share, kappa }) {
  const names = `${first || "(no name)"} and ${second || "(no name)"}`;
  const cohen = kappa === null ? "not defined: only one label was used" : kappa.toFixed(2);
  return `${names} agree on ${number(agreed)} of ${counted(both, "document")} (${percent(share)}); Cohen’s κ is ${cohen}.`;
}

/** The dialog in which conflicts are settled, one after another, by keys or by buttons. */
class Conflicts {
  constructor(path, on) {
    this.path = path;
    this.on = on;
    this.dialog = byId("conflicts");
    this.items = [];
    this.reasons = [];
    this.done = [];
    this.at = 0;
    this.before = Promise.resolve();
    byId("close-conflicts").addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("keydown", (event) => this.press(event));
    this.dialog.addEventListener("close", () => this.after(() => this.done.length && on.settled()));
    byId("conflicts-list").addEventListener("click", ({ target }) => this.click(target));
  }

  async open() {
    const [{ conflicts, total }, { reasons }] = await Promise.all([
      get(address(`${this.path}/conflicts`, { limit: MANY })),
      get(`${this.path}/reasons`),
    ]);
    this.reasons = reasons;
    this.items = conflicts.map((conflict) => ({ conflict, node: makeConflict(conflict), label: null }));
    this.done = [];
    fill(byId("conflicts-list"), this.items.map(({ node }) => node));
    byId("conflicts-note").textContent = this.hint(total);
    this.tell("");
    this.dialog.showModal();
    this.select(0);
  }

  hint(total) {
    if (!total) return "There is nothing to settle.";
    const keys = LABELS.map(({ label }) => keyOf(label) && `${keyOf(label)} ${label}`).filter(Boolean);
    const why = this.reasons.slice(0, 9).map(({ name }, at) => `${at + 1} ${name}`);
    return `${counted(total, "conflict")}, each maybe until it is settled. Keys: ${[...keys, ...why].join(", ")}.`;
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.items.length) return;
    const name = ARROWS[event.key] ?? (DIGIT.test(event.key) ? "digit" : event.key.length === 1 && actionOf(event.key));
    const isLabel = LABELS.some(({ label }) => label === name);
    const reason = name === "digit" ? this.reasons[Number(event.key) - 1]?.name : null;
    if (name === "next") this.after(() => this.select(this.at + 1));
    else if (name === "previous") this.after(() => this.select(this.at - 1));
    else if (name === "undo") this.after(() => this.undo());
    else if (isLabel) this.after(() => this.settle(this.items[this.at], name));
    else if (reason) this.after(() => this.settle(this.items[this.at], "irrelevant", reason));
    else return;
    event.preventDefault();
  }

  /** Act once earlier actions are done: a key that is pressed ahead is meant for the next conflict. */
  after(act) {
    this.before = this.before.then(act);
  }

  click(target) {
    const at = this.items.findIndex(({ node }) => node.contains(target));
    if (at < 0) return;
    const label = at === this.at && target.closest("button[data-label]")?.dataset.label;
    if (label) this.after(() => this.settle(this.items[at], label));
    else this.after(() => this.select(at));
  }

  select(at) {
    this.at = Math.max(0, Math.min(this.items.length - 1, at));
    for (const [place, { node }] of this.items.entries()) {
      node.classList.toggle("current", place === this.at);
      node.firstChild.tabIndex = place === this.at ? 0 : -1;
    }
    const here = this.items[this.at]?.node;
    here?.firstChild.focus({ preventScroll: true });
    here?.scrollIntoView({ block: "nearest" });
  }

  /** Settle a conflict, and move on to the next that is not settled. */
  async settle(item, label, reason = null) {
    const { entry, marks } = item.conflict;
    // Whoever excluded it may have said why.
    const known = label === "irrelevant" ? reason ?? marks.find((mark) => mark.reason)?.reason ?? null : null;
    if (!(await this.send(entry.document.id, label, known))) return;
    this.done.push(item);
    this.showSettled(item, label, known);
    announce(`Settled: ${label}.`);
    const open = (place) => !this.items[place].label;
    const next = [...this.items.keys()].filter(open).sort((one, other) => (one > this.at ? one : one + this.items.length) - (other > this.at ? other : other + this.items.length))[0];
    if (next === undefined) byId("close-conflicts").focus();
    else this.select(next);
  }

  async undo() {
    const item = this.done.findLast(({ label }) => label);
    if (!item || !(await this.send(item.conflict.entry.document.id, null))) return;
    this.showSettled(item, null);
    this.select(this.items.indexOf(item));
    announce("Taken back.");
  }

  async send(id, label, reason = null) {
    try {
      await post(`${this.path}/conflicts/settle`, { labels: { [id]: label }, reason });
      this.tell("");
      return true;
    } catch (error) {
      this.tell(error.message);
      return false;
    }
  }

  showSettled(item, label, reason = "") {
    item.label = label;
    showPressed(item.node, label);
    item.node.querySelector(".settled").textContent = label ? `Settled: ${label}${reason ? `, ${reason}` : ""}` : "";
  }

  tell(problem) {
    byId("conflicts-problem").textContent = problem;
    byId("conflicts-problem").hidden = !problem;
  }
}

function makeConflict({ entry: { document: paper }, marks }) {
  const id = `conflict-${(made += 1)}`;
  const said = marks.map(({ reviewer, label, reason }) => `${reviewer || "(no name)"}: ${label}${reason ? ` (${reason})` : ""}`);
  const article = element(
    "article",
    { tabindex: -1, "aria-labelledby": id },
    element("h3", { class: "title", id, dir: "auto" }, paper.title || "(no title)"),
    element("p", { class: "opinions", dir: "auto" }, said.join(" · ")),
    element("p", { class: "settled" }),
    element("p", { class: "abstract", dir: "auto" }, paper.abstract),
    markButtons(id),
  );
  return element("li", { class: "conflict" }, article);
}
