// The inclusion criteria of a review: written once, and at hand beside the documents.

import { Answers, get, ofSession, put } from "./api.js";
import { announce, byId } from "./dom.js";
import { openSheet } from "./sheets.js";

const FOLDED = "likewise.criteria";

/** The criteria beside the list, or in a sheet if there is no room for that. */
export class Criteria {
  constructor(session) {
    this.path = ofSession(session, "criteria");
    this.answers = new Answers();
    this.text = "";
    this.node = byId("criteria");
    this.field = byId("criteria-field");
    this.node.open = localStorage.getItem(FOLDED) !== "folded";
    this.node.addEventListener("toggle", () => this.sheet || localStorage.setItem(FOLDED, this.node.open ? "open" : "folded"));
    byId("edit-criteria").addEventListener("click", () => this.edit());
    byId("cancel-criteria").addEventListener("click", () => this.leave());
    byId("criteria-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.save();
    });
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.save();
    });
    for (const button of document.querySelectorAll(".open-criteria")) button.addEventListener("click", () => this.toggle());
    addEventListener("beforeunload", (event) => {
      if (this.isChanged) event.preventDefault();
    });
    this.show();
  }

  get isEditing() {
    return !byId("criteria-form").hidden;
  }

  /** Whether something was written that is not saved. */
  get isChanged() {
    return this.isEditing && this.field.value.trim() !== this.text;
  }

  /** Ask for them again, without disturbing whoever is writing. */
  async refresh() {
    this.text = (await this.answers.read(get(this.path)))?.text ?? this.text;
    if (!this.isEditing) this.show();
  }

  /** Fold or unfold them, or show them in a sheet if nothing is beside the list. */
  toggle() {
    if (byId("side").offsetParent && !this.sheet) {
      this.node.open = !this.node.open;
      if (this.node.open) this.node.scrollIntoView({ block: "nearest" });
      return announce(this.node.open ? "Criteria shown." : "Criteria hidden.");
    }
    const wasOpen = this.node.open;
    this.sheet = openSheet(this.node, {
      heading: "Criteria",
      onClose: () => {
        this.node.open = wasOpen;
        this.sheet = null;
      },
    });
    this.node.open = true;
  }

  show() {
    byId("criteria-text").textContent = this.text;
    byId("criteria-text").hidden = this.isEditing || !this.text;
    byId("no-criteria").hidden = this.isEditing || Boolean(this.text);
    byId("edit-criteria").hidden = this.isEditing;
    byId("edit-criteria").textContent = this.text ? "Edit them" : "Write them down";
  }

  edit() {
    this.field.value = this.text;
    byId("criteria-form").hidden = false;
    this.complain(null);
    this.show();
    this.field.focus();
  }

  leave() {
    byId("criteria-form").hidden = true;
    this.show();
    byId("edit-criteria").focus();
  }

  async save() {
    const button = byId("save-criteria");
    button.disabled = true;
    this.complain(null);
    try {
      this.text = (await this.answers.change(put(this.path, { text: this.field.value }))).text;
      announce("Criteria saved.");
      this.leave();
    } catch (error) {
      this.complain(error);
    }
    button.disabled = false;
  }

  complain(error) {
    byId("criteria-problem").hidden = !error;
    byId("criteria-problem").textContent = error ? error.message : "";
  }
}
