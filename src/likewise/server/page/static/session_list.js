// The list of sessions: open, rename and delete them, and see what runs.

import { Answers, get } from "./api.js";
import { byId, element, fill } from "./dom.js";
import { hasEnded } from "./jobs.js";
import { jobWords } from "./progress.js";
import { askToDelete, askToRename } from "./session_dialogs.js";
import { counted, cut, exactly, number, since } from "./words.js";

const POLL_SECONDS = 2;
const SHOWN_AT_FIRST = 12;
const MINUTE = 60_000;

/** Show the sessions, and keep the list up to date while a search runs. */
export function listSessions() {
  const list = new SessionList();
  document.addEventListener("visibilitychange", () => list.refresh());
  addEventListener("pageshow", (event) => event.persisted && list.refresh());
  byId("sessions-all").addEventListener("click", () => list.showAll());
  list.refresh();
}

class SessionList {
  constructor() {
    this.place = byId("sessions-list");
    this.drawn = "";
    this.isWhole = false;
    this.sessions = [];
    this.answers = new Answers();
  }

  async refresh() {
    clearTimeout(this.timer);
    if (document.hidden) return;
    try {
      const answer = await this.answers.read(get("/api/sessions"));
      byId("sessions-error").hidden = true;
      if (answer) this.draw(answer);
    } catch (error) {
      byId("sessions-error").hidden = false;
      byId("sessions-error").textContent = error.message;
    }
    const isRunning = this.sessions.some(({ job }) => job && !hasEnded(job));
    clearTimeout(this.timer);
    if (isRunning) this.timer = setTimeout(() => this.refresh(), POLL_SECONDS * 1000);
  }

  draw({ sessions, unreadable }) {
    this.sessions = sessions;
    // What has not changed is left alone, so that nothing moves under a reader's hand.
    const now = JSON.stringify([sessions, unreadable, this.isWhole, Math.floor(Date.now() / MINUTE)]);
    if (now === this.drawn) return;
    this.drawn = now;
    const shown = this.isWhole ? sessions : sessions.slice(0, SHOWN_AT_FIRST);
    byId("sessions-empty").hidden = sessions.length > 0;
    byId("sessions-all").hidden = shown.length === sessions.length;
    byId("sessions-all").textContent = `Show all ${number(sessions.length)}`;
    keepingFocus(this.place, () => fill(this.place, shown.map((session) => this.row(session))));
    byId("unreadable").hidden = !unreadable.length;
    byId("unreadable-count").textContent = `${counted(unreadable.length, "file")} can't be opened`;
    fill(byId("unreadable-list"), unreadable.map((line) => element("li", {}, line)));
  }

  showAll() {
    this.isWhole = true;
    this.refresh().then(() => this.place.children[SHOWN_AT_FIRST]?.querySelector("a")?.focus());
  }

  row(session) {
    const path = `/sessions/${encodeURIComponent(session.id)}`;
    const time = { datetime: session.changed, title: exactly(session.changed) };
    const changed = element("time", time, since(session.changed));
    return element(
      "li",
      { class: "session", "data-session": session.id },
      element("h3", {}, element("a", { href: path, class: "title", "data-action": "open" }, session.name)),
      element("p", { class: "note" }, changed, ` · ${counted(session.seeds, "seed")}`),
      element("p", { class: "note" }, marksWords(session)),
      jobLine(session.job),
      element(
        "div",
        { class: "session-actions" },
        button("Rename", session, () => askToRename(session, () => this.refresh())),
        button("Delete", session, () => askToDelete(session, () => this.deleted(session))),
      ),
    );
  }

  async deleted(session) {
    const at = this.sessions.findIndex(({ id }) => id === session.id);
    await this.refresh();
    const links = this.place.querySelectorAll("a");
    (links[Math.min(at, links.length - 1)] ?? byId("sessions")).focus();
  }
}

function button(words, session, onclick) {
  const label = `${words}: ${cut(session.name, 80)}`;
  const attributes = { type: "button", class: "quiet", "data-action": words, "aria-label": label, onclick };
  return element("button", attributes, words);
}

function marksWords({ expansions, relevant, irrelevant, maybe, job }) {
  if (!expansions) return job && !hasEnded(job) ? "" : "Not searched yet";
  if (!(relevant + irrelevant + maybe)) return "Nothing marked yet";
  return `${number(relevant)} relevant, ${number(irrelevant)} irrelevant, ${number(maybe)} maybe`;
}

function jobLine(job) {
  if (!job || job.state === "done" || job.state === "cancelled") return null;
  if (job.state === "failed") return element("p", { class: "error" }, `The last search failed: ${job.error}`);
  const bar = element("progress", { max: 1, value: job.share || null, "aria-label": "How much of this stage is done" });
  const words = element("p", { class: "note" }, jobWords(job));
  return element("div", { class: "running" }, words, job.state === "running" && bar);
}

/** Draw, and put the focus back where it was, if that is still there. */
function keepingFocus(place, draw) {
  const held = place.contains(document.activeElement) ? document.activeElement : null;
  const session = held?.closest("[data-session]")?.dataset.session;
  draw();
  const again = [...place.children].find((one) => one.dataset.session === session);
  if (held) again?.querySelector(`[data-action="${held.dataset.action}"]`)?.focus();
}
