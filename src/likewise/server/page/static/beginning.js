// Begins a search: its name, its settings, what may be wrong with the papers, and the button.

import { ofSession, post } from "./api.js";
import { announce, byId, element, fill, leaveNote } from "./dom.js";
import { inLibrary } from "./library.js";
import { sentence } from "./words.js";

const PAUSE = 500;

/** Set the form up that makes a session of the draft. */
export function beginSearches(draft) {
  const form = byId("begin");
  const name = byId("name");
  const warn = warnings(draft);
  let isBusy = false;

  function draw() {
    if (document.activeElement !== name) name.value = draft.name;
    const lack = isBusy ? "" : draft.lack;
    byId("find").setAttribute("aria-disabled", String(isBusy || !draft.isEnough));
    byId("find").textContent = isBusy ? "Starting …" : "Find the rest";
    byId("lack").textContent = lack;
    warn();
  }

  async function begin() {
    if (isBusy) return;
    if (!draft.isEnough) return announce(draft.lack);
    isBusy = true;
    fail("");
    draw();
    try {
      location.assign(`/sessions/${encodeURIComponent(await begun(draft))}`);
    } catch (error) {
      isBusy = false;
      fail(error.message);
      draw();
    }
  }

  name.addEventListener("input", () => draft.rename(name.value));
  name.addEventListener("blur", () => (name.value = draft.name));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    begin();
  });
  // A page that comes back from the browser's own memory is no longer busy.
  addEventListener("pageshow", () => {
    isBusy = false;
    draw();
  });
  draft.listeners.push(draw);
  draw();
}

/** Make the session, start its first job, and return its id. */
async function begun(draft) {
  const settings = chosenSettings();
  const session = await post(inLibrary("/api/sessions"), {
    name: draft.name.trim(),
    seeds: draft.papers,
    irrelevant: draft.irrelevant.map((id) => ({ id })),
    settings,
  });
  draft.clear();
  try {
    await post(ofSession(session.id, "expansions"), {});
  } catch (error) {
    // The session is there, and its page has a button to start again.
    leaveNote(error.message);
  }
  return session.id;
}

function chosenSettings() {
  const inputs = [...byId("settings").querySelectorAll("input:checked, input[type=number]")];
  return Object.fromEntries(inputs.map((input) => [input.name, input.type === "number" ? Number(input.value) : input.value]));
}

function fail(message) {
  byId("begin-error").hidden = !message;
  byId("begin-error").textContent = message;
}

/** Return a function that asks, after a pause, what may be wrong with all papers together, and shows it. */
function warnings(draft) {
  let timer;
  let asked = "";
  let stop = new AbortController();
  return () => {
    const papers = draft.isEnough ? draft.papers : [];
    const now = draft.items.map(({ key }) => key).join("\n");
    if (now === asked) return;
    asked = now;
    clearTimeout(timer);
    stop.abort();
    stop = new AbortController();
    if (!papers.length) return showWarnings([]);
    const { signal } = stop;
    timer = setTimeout(async () => {
      // Warnings may be missing: what is really wrong is reported when the search begins.
      const answer = await post(inLibrary("/api/seeds"), { papers }, { signal }).catch(() => null);
      if (!signal.aborted) showWarnings(answer?.warnings ?? []);
    }, PAUSE);
  };
}

function showWarnings(said) {
  byId("warnings").hidden = !said.length;
  fill(byId("warnings-list"), said.map((warning) => element("li", {}, sentence(warning))));
}
