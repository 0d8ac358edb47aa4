// Reasons for exclusion: the session's own list, whose numbers are keys, and the dialog that edits it.

import { Answers, address, get, ofSession, patch, post, put, remove } from "./api.js";
import { ask } from "./dialogs.js";
import { announce, byId, element, fill } from "./dom.js";
import { counted, number } from "./words.js";

const MOST_NAME = 200;
const KEYS = 9;
const USUAL = ["wrong population", "wrong intervention", "wrong comparison", "wrong outcome", "wrong study design", "wrong publication type"];

/**
 * The list of reasons, beside the documents and in its dialog.
 *
 * `on.give(name)` is called when a reason is chosen beside the documents, `on.changed()` when the list has
 * changed, `on.show(name)` to show the documents excluded for a reason. `count()` returns how many there are, by name.
 */
export class Reasons {
  constructor(session, { count, on }) {
    this.path = ofSession(session, "reasons");
    Object.assign(this, { count, on, list: [], answers: new Answers() });
    this.dialog = byId("reasons-dialog");
    this.channel = new BroadcastChannel(`likewise.reasons.${session}`);
    this.channel.onmessage = () => this.refresh().then(on.changed, () => {});
    for (const name of ["edit-reasons", "write-reasons"]) byId(name).addEventListener("click", () => this.open());
    byId("reasons-add").addEventListener("submit", (event) => this.add(event));
    byId("reasons-usual").addEventListener("click", () => this.do(() => this.addAll(USUAL)));
    byId("close-reasons").addEventListener("click", () => this.dialog.close());
    byId("new-reason").addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      byId("reasons-add").requestSubmit();
    });
  }

  async refresh() {
    this.take(await this.answers.read(get(this.path)));
  }

  /** The name of the reason for a key, "1" to "9"; undefined if there is none. */
  ofKey(key) {
    return this.list[Number(key) - 1]?.name;
  }

  has(name) {
    return this.list.some((reason) => reason.name === name);
  }

  /** The key for a reason, or "": only nine have one. */
  keyOf(name) {
    const at = this.list.findIndex((reason) => reason.name === name);
    return at >= 0 && at < KEYS ? String(at + 1) : "";
  }

  /** Take an answer; it is null if it came too late. */
  take(answer) {
    if (!answer) return;
    this.list = answer.reasons;
    this.show();
  }

  /** Show the list beside the documents, with how many were excluded for each. */
  show() {
    const counts = this.count();
    byId("no-reasons").hidden = this.list.length > 0;
    byId("edit-reasons").hidden = !this.list.length;
    fill(byId("reasons-list"), this.list.map(({ name }) => this.item(name, counts.get(name) ?? 0)));
  }

  item(name, count) {
    const key = this.keyOf(name);
    const give = () => this.on.give(name);
    return element(
      "li",
      {},
      element("kbd", { "aria-hidden": "true", class: key ? null : "none" }, key),
      element("button", { type: "button", class: "lead", dir: "auto", title: "Exclude the current document for this reason", onclick: give }, name),
      element("span", { class: "ranks" }, count ? number(count) : ""),
    );
  }

  async open() {
    this.complain(null);
    this.dialog.showModal();
    await this.do(() => get(this.path), { isQuiet: true });
    byId("new-reason").focus();
  }

  add(event) {
    event.preventDefault();
    const field = byId("new-reason");
    const names = field.value.split("\n").map((name) => name.trim()).filter(Boolean);
    return this.do(async () => {
      const answer = await this.addAll(names);
      field.value = "";
      return answer;
    });
  }

  async addAll(names) {
    let answer = null;
    const isKnown = (name) => this.list.some((reason) => reason.name.toLowerCase() === name.toLowerCase());
    for (const name of names) if (names.length === 1 || !isKnown(name)) answer = await post(this.path, { name });
    return answer ?? get(this.path);
  }

  /** Change the list and show it; if that fails, show why in the dialog. */
  async do(change, { isQuiet = false } = {}) {
    this.complain(null);
    try {
      this.take(await (isQuiet ? this.answers.read(change()) : this.answers.change(change())));
    } catch (error) {
      await this.refresh().catch(() => {});
      this.complain(error);
    }
    this.showRows();
    if (isQuiet) return;
    this.channel.postMessage("");
    this.on.changed();
  }

  complain(error) {
    const place = byId("reasons-problem");
    place.hidden = !error;
    place.textContent = error ? error.message : "";
  }

  /** Draw the rows of the dialog again, and keep the focus in its row. */
  showRows() {
    const rows = byId("reasons-rows");
    const row = [...rows.children].findIndex((one) => one.contains(document.activeElement));
    const at = row < 0 ? -1 : [...rows.children[row].children].indexOf(document.activeElement);
    byId("reasons-usual").hidden = this.list.length > 0;
    fill(rows, this.list.map((reason, place) => this.row(reason, place)));
    if (row >= 0) (rows.children[row]?.children[at] ?? byId("new-reason")).focus();
  }

  row(reason, at) {
    const { name, number: id } = reason;
    const field = element("input", { maxlength: MOST_NAME, "aria-label": `Reason ${at + 1}`, autocomplete: "off", dir: "auto" });
    field.value = name;
    field.addEventListener("change", () => field.value.trim() !== name && this.do(() => patch(`${this.path}/${id}`, { name: field.value })));
    field.addEventListener("keydown", (event) => event.key === "Enter" && (event.preventDefault(), field.blur()));
    const move = (step, sign, word) =>
      element("button", { type: "button", class: "quiet", disabled: !this.list[at + step], "aria-label": `${word}: ${name}`, onclick: () => this.move(at, step) }, sign);
    const drop = element("button", { type: "button", class: "quiet", "aria-label": `Remove: ${name}`, onclick: () => this.remove(reason) }, "Remove");
    return element(
      "li",
      {},
      element("kbd", { class: at < KEYS ? null : "none", "aria-hidden": "true" }, at < KEYS ? at + 1 : ""),
      field,
      move(-1, "↑", "Up"),
      move(1, "↓", "Down"),
      drop,
    );
  }

  async move(at, step) {
    const numbers = this.list.map(({ number: id }) => id);
    numbers.splice(at + step, 0, ...numbers.splice(at, 1));
    await this.do(() => put(this.path, { numbers }));
    const buttons = byId("reasons-rows").children[at + step]?.querySelectorAll("button:not(:disabled)") ?? [];
    (buttons[step < 0 || buttons.length < 3 ? 0 : 1] ?? byId("new-reason")).focus();
  }

  /** Remove a reason; if marks may carry it, ask which reason takes its place. */
  remove(reason) {
    if (!reason.is_carried) return this.do(() => remove(`${this.path}/${reason.number}`));
    const others = this.list.filter((one) => one !== reason);
    const { documents, name } = reason;
    const carried = documents ? `${counted(documents, "document is", "documents are")} excluded for “${name}”.` : `Marks of others may carry “${name}”.`;
    const choice = element("select", { id: "replacement" }, others.map((one) => element("option", { value: one.number }, one.name)));
    const show = element("button", { type: "button", class: "quiet flush", onclick: () => this.showCarriers(dialog, name) }, "Show these documents");
    const asked = others.length
      ? element("div", { class: "field" }, element("label", { for: "replacement" }, "Reason to give instead"), choice)
      : element("p", {}, "It is the only reason: add another one first, or rename it.");
    const dialog = ask({
      heading: "Remove this reason?",
      body: [element("p", {}, carried), asked, element("p", {}, show)],
      confirm: others.length ? "Replace and remove" : "Close",
      onConfirm: async () => {
        const path = address(`${this.path}/${reason.number}`, { replacement: choice.value });
        if (others.length) this.take(await this.answers.change(remove(path)));
      },
      onDone: () => {
        this.showRows();
        this.channel.postMessage("");
        this.on.changed();
        announce(others.length ? `Removed: ${reason.name}` : "Nothing was removed.");
      },
    });
  }

  showCarriers(dialog, name) {
    dialog.close();
    this.dialog.close();
    this.on.show(name);
  }
}
