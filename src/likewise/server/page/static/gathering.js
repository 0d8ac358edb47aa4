// Searches PubMed: gathers a library for pasted papers, and leads to the list of what is found in it.

import { address, get, ofSession, post } from "./api.js";
import { byId, leaveNote } from "./dom.js";
import { Draft } from "./draft.js";
import { hasEnded } from "./jobs.js";
import { ofLibrary } from "./library.js";
import { showProgress } from "./progress.js";

const KEPT = "likewise.gathering";
const LONGEST_NAME = 60;

/** Set the form up that searches for pasted papers; a search that is under way is resumed. */
export function gatherRecords() {
  const form = byId("gather-form");
  let isBusy = false;

  async function run(task) {
    if (isBusy) return;
    isBusy = true;
    draw();
    fail("");
    try {
      await task();
    } catch (error) {
      fail(error.message);
    }
    isBusy = false;
    draw();
  }

  const draw = () => byId("gather-go").setAttribute("aria-disabled", String(isBusy));

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run(begin);
  });
  byId("gather-text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  const source = byId("gather-source");
  source.addEventListener("change", () => (byId("gather-go").textContent = `Search ${labelOf(source)}`));
  const kept = readKept();
  if (kept) run(() => goOn(kept));
}

const labelOf = (select) => select.selectedOptions[0].textContent.trim();

/** Tell whether a job is the search that was begun in this tab. */
export const isGathered = (job) => readKept()?.job === job.id;

async function begin() {
  const text = byId("gather-text").value.trim();
  if (!text) {
    byId("gather-text").focus();
    throw new Error("The box is empty: paste PMIDs, DOIs or titles, one per line.");
  }
  const source = byId("gather-source").value;
  const library = await makeLibrary(text, labelOf(byId("gather-source")));
  const asked = { source, text, at_most: Number(byId("gather-most").value) };
  const job = await post(ofLibrary(library, "gatherings"), asked);
  const kept = { library, job: job.id, text };
  sessionStorage.setItem(KEPT, JSON.stringify(kept));
  await follow(job, kept);
}

/** Resume a search that was under way when the page was left or loaded again. */
async function goOn(kept) {
  byId("gather").open = true;
  byId("gather-text").value = kept.text;
  const job = await get(`/api/jobs/${encodeURIComponent(kept.job)}`).catch(() => null);
  if (job) return follow(job, kept);
  sessionStorage.removeItem(KEPT);
}

/** Show how far the search has come; once all records are here, begin a session. */
function follow(job, kept) {
  return new Promise((resolve, reject) => {
    const onEnd = (ended) => {
      sessionStorage.removeItem(KEPT);
      if (ended.state === "failed") reject(new Error(ended.error));
      else if (ended.state === "cancelled") resolve();
      else beginSession(kept).then(resolve, reject);
    };
    const { stop } = showProgress(byId("gather-job"), job, { onEnd });
    if (hasEnded(job)) stop();
    else byId("gather-job").scrollIntoView({ block: "nearest" });
  });
}

async function beginSession({ library, text }) {
  const resolved = await post(address("/api/seeds", { library }), { text });
  const draft = new Draft({ getItem: () => null, setItem() {}, removeItem() {} });
  draft.add(resolved);
  if (!draft.isEnough) throw new Error(draft.lack);
  const session = await post(address("/api/sessions", { library }), { name: draft.name.trim(), seeds: draft.papers });
  try {
    await post(ofSession(session.id, "expansions"), {});
  } catch (error) {
    // The session is there, and its page has a button to start again.
    leaveNote(error.message);
  }
  location.assign(`/sessions/${encodeURIComponent(session.id)}`);
}

/** Make a library for the records, named after the source and the first pasted line. */
async function makeLibrary(text, source) {
  const first = text.split(/[\r\n]/, 1)[0].trim().slice(0, LONGEST_NAME);
  const { libraries } = await get("/api/libraries");
  const taken = new Set(libraries.map(({ name }) => name.toLowerCase()));
  const name = `${source}: like ${first}`;
  let free = name;
  for (let count = 2; taken.has(free.toLowerCase()); count += 1) free = `${name} (${count})`;
  return (await post("/api/libraries", { name: free })).id;
}

function readKept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT));
  } catch {
    return null;
  }
}

function fail(message) {
  byId("gather-error").hidden = !message;
  byId("gather-error").textContent = message;
}
