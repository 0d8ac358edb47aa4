// What reviewers write on the current document: the reason for its exclusion, tags, and a note.

import { announce, byId, element, fill, toast } from "./dom.js";
import { Reasons } from "./reasons.js";
import { Remarks, readTags } from "./remarks.js";
import { openSheet } from "./sheets.js";
import { cut } from "./words.js";

const PAUSE = 700;
const MOST_TAG = 200;
const MOST_NOTE = 20_000;
const EDIT = "\n";
const NARROW = "(max-width: 40rem)";

/**
 * The fields for the reason, tags and note of the current document: in the document, or on small screens in a sheet.
 *
 * `on.exclude(reason, goesOn)` is called to exclude the current document for a reason, or with "" to take the
 * reason off, `on.left()` when a key leaves the fields, `on.changed(id)` when a document has to be shown again, `on.queue(count, error)` as for marks,
 * `on.renamed()` when reasons may have other names, `on.filter(words)` to show what a filter keeps.
 */
export class Remarking {
  constructor(session, marks, on) {
    Object.assign(this, { marks, on, entry: null, written: null });
    this.remarks = new Remarks(session, marks.done, {
      changed: (id) => this.changed(id),
      queue: on.queue,
      refused: toast,
    });
    this.reasons = new Reasons(session, {
      count: () => marks.countReasons(),
      on: {
        give: (name) => on.exclude(name, true),
        changed: () => this.renamed(),
        show: (name) => on.filter(`reason:"${name}"`),
      },
    });
    this.make();
  }

  make() {
    this.reason = element("select", { "aria-label": "Reason for exclusion", title: "Reason for exclusion", autocomplete: "off" });
    this.tags = element("ul", { class: "plain tags", "aria-label": "Tags" });
    this.known = element("datalist", { id: "known-tags" });
    this.tag = element("input", { class: "tag", list: "known-tags", maxlength: MOST_TAG, placeholder: "Add a tag", "aria-label": "Add a tag", autocomplete: "off" });
    this.note = element("textarea", { class: "note-field", rows: 1, maxlength: MOST_NOTE, placeholder: "Write a note", "aria-label": "Note", dir: "auto", autocomplete: "off" });
    this.state = element("span", { class: "remark-state", role: "status" });
    const group = { class: "remarking", role: "group", "aria-label": "Reason, tags and note" };
    this.node = element("div", group, this.reason, this.tags, this.tag, this.known, this.note, this.state);
    this.reason.addEventListener("change", () => this.choose());
    this.tag.addEventListener("keydown", (event) => this.type(event));
    this.tag.addEventListener("change", () => this.addTags());
    this.note.addEventListener("input", () => this.wait());
    this.note.addEventListener("blur", () => this.flush());
    this.note.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.note.blur();
      this.on.left();
    });
    byId("open-remarks").addEventListener("click", () => this.openSheet());
  }

  /** Ask for the list of reasons and for the tags, to propose them. */
  refresh() {
    return Promise.all([this.reasons.refresh(), this.remarks.refresh()]).then(() => this.fill());
  }

  /** All tags and reasons. */
  get offered() {
    return { tags: this.remarks.tags, reasons: this.reasons.list.map(({ name }) => name) };
  }

  /** Whether the fields have the focus: then their document must not go away. */
  get hasFocus() {
    return this.node.contains(document.activeElement);
  }

  /** Show the fields for another document, in its item of the list. */
  show(entry, item) {
    const isOther = entry.document.id !== this.entry?.document.id;
    if (isOther) this.flush();
    this.entry = entry;
    this.place = item.querySelector(".remarks");
    if (!this.sheet && !matchMedia(NARROW).matches && this.place.nextSibling !== this.node) this.place.after(this.node);
    else if (!this.sheet && matchMedia(NARROW).matches) this.node.remove();
    if (isOther) this.fill({ isOther });
  }

  /** Show a document's reason, tags and note as text, for when they are not being edited. */
  draw(item, { document: { id } }) {
    const { tags, note } = this.remarks.at(id);
    const reason = this.marks.reason(id);
    fill(
      item.querySelector(".remarks"),
      reason && element("span", { class: "reason", dir: "auto" }, unseen("Excluded: "), reason),
      tags.map((tag) => element("span", { class: "badge", dir: "auto" }, unseen("Tag: "), tag)),
      note && element("span", { class: "noted", dir: "auto" }, unseen("Note: "), note),
    );
  }

  /** Fill the fields with the document's reason, tags and note; what is being typed stays. */
  fill({ isOther = false } = {}) {
    if (!this.entry) return;
    const { id } = this.entry.document;
    const { tags, note } = this.remarks.at(id);
    this.fillReasons(id);
    fill(this.tags, tags.map((tag) => this.chip(id, tag)));
    const rest = this.remarks.tags.filter((tag) => !tags.includes(tag));
    fill(this.known, rest.map((tag) => element("option", { value: tag })));
    if (isOther || document.activeElement !== this.note) this.note.value = note;
    this.state.textContent = this.remarks.isSaving(id) ? "saving …" : "";
  }

  fillReasons(id) {
    const given = this.marks.reason(id);
    const { list } = this.reasons;
    const names = given && !this.reasons.has(given) ? [...list.map(({ name }) => name), given] : list.map(({ name }) => name);
    const options = names.map((name) => {
      const key = this.reasons.keyOf(name);
      return element("option", { value: name }, key ? `${key} · ${name}` : name);
    });
    const none = given ? "No reason" : "Reason";
    const edit = element("option", { value: EDIT }, list.length ? "Edit the list …" : "Write a list …");
    fill(this.reason, element("option", { value: "" }, none), options, edit);
    this.reason.value = given;
    this.reason.classList.toggle("given", Boolean(given));
  }

  chip(id, tag) {
    const off = () => {
      this.remarks.tag(id, tag, false);
      announce(`Tag removed: ${tag}.`);
      this.tag.focus();
    };
    const label = `Remove the tag: ${tag}`;
    return element("li", { class: "badge", dir: "auto" }, tag, element("button", { type: "button", class: "quiet", "aria-label": label, onclick: off }, "×"));
  }

  choose() {
    const chosen = this.reason.value;
    if (chosen === EDIT) {
      this.fill();
      return this.reasons.open();
    }
    this.on.exclude(chosen, false);
  }

  /** Give the current document the reason for a key, "1" to "9". */
  giveByKey(key) {
    const name = this.reasons.ofKey(key);
    if (name !== undefined) return this.on.exclude(name, true);
    const { length } = this.reasons.list;
    const said = length ? `There is no reason ${key}: the list has ${length}.` : "There are no reasons for exclusion yet.";
    toast(said, { action: length ? "Edit the list" : "Write a list", onAction: () => this.reasons.open() });
    return false;
  }

  type(event) {
    if (event.key === "Escape") this.tag.value = "";
    const isEnd = event.key === "Enter" || event.key === "," || event.key === ";";
    if (!isEnd || event.isComposing || !this.tag.value.trim()) return;
    event.preventDefault();
    this.addTags();
  }

  addTags() {
    const tags = readTags(this.tag.value);
    this.tag.value = "";
    if (!tags.length) return;
    for (const tag of tags) this.remarks.tag(this.entry.document.id, tag);
    announce(`Tagged: ${tags.join(", ")}.`);
  }

  /** Save the note when nothing was typed for a while. */
  wait() {
    this.written = this.note.value;
    this.state.textContent = "saving …";
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), PAUSE);
  }

  /** Save what has been typed so far, even an unfinished tag. */
  flush() {
    clearTimeout(this.timer);
    if (!this.entry) return;
    if (this.tag.value && document.activeElement !== this.tag) this.addTags();
    if (this.written === null) return;
    const text = this.written;
    this.written = null;
    this.remarks.write(this.entry.document.id, text);
    if (!this.remarks.isSaving(this.entry.document.id)) this.state.textContent = "";
  }

  changed(id) {
    if (id === this.entry?.document.id && this.written === null) this.fill();
    this.on.changed(id);
  }

  /** Follow a change in the list of reasons: marks carry their current names. */
  renamed() {
    this.on.renamed();
    this.fill();
  }

  /** Go to a field: "reason", "tag" or "note". */
  focus(name) {
    if (!this.entry) return;
    if (!this.node.isConnected) this.openSheet();
    this[name].focus();
    if (name === "reason" && navigator.userActivation?.isActive) this.reason.showPicker();
  }

  openSheet() {
    if (!this.entry || this.sheet) return;
    if (!this.node.isConnected) this.place.after(this.node);
    this.fill();
    const { title, id } = this.entry.document;
    const onClose = () => {
      this.flush();
      this.sheet = null;
      if (matchMedia(NARROW).matches) this.node.remove();
    };
    this.sheet = openSheet(this.node, { heading: cut(title || id, 90), onClose });
  }
}

const unseen = (text) => element("span", { class: "visually-hidden" }, text);
