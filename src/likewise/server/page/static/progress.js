// Shows a job: the stages as they happen, how far the current one has come, and how to cancel it.

import { remove } from "./api.js";
import { announce, element, fill, setAttributes } from "./dom.js";
import { followJob, hasEnded } from "./jobs.js";
import { counted, percent } from "./words.js";

const STAGES = {
  gathering: "Asking for papers like yours",
  "asking for what is new": "Asking for what is new",
  seeds: "Reading your papers",
  retrieval: "Searching the library",
  documents: "Fetching the candidates",
  features: "Counting words",
  encoding: "Encoding texts",
  learning: "Learning the topic",
  judgement: "Estimating how many are on topic",
  report: "Writing it down",
};
const MOST_STAGES = 12;

/** A stage in words. */
const stageName = (stage) => STAGES[stage] ?? stage;

/** A job's state in a few words, as lists show it. */
export function jobWords(job) {
  if (job.state === "waiting") return waitingWords(job);
  if (job.state === "running") return job.stage ? stageName(job.stage) + shareWords(job) : "Starting";
  return { done: "Done", failed: `Failed: ${job.error}`, cancelled: "Cancelled" }[job.state];
}

/**
 * Show a job in `place`, and follow it until it has ended; returns `{ stop }`.
 *
 * `onEnd(job)` is called once, with the state in which it ended; `onJob(job)` with every state.
 */
export function showProgress(place, job, { onEnd = () => {}, onJob = () => {} } = {}) {
  const view = new ProgressView(job);
  fill(place, view.node);
  const told = (next) => {
    view.show(next);
    onJob(next);
    if (hasEnded(next)) onEnd(next);
  };
  if (hasEnded(job)) {
    told(job);
    return { stop() {} };
  }
  view.show(job);
  return { stop: followJob(job.id, told, (error) => view.trouble(error)) };
}

class ProgressView {
  constructor(job) {
    this.id = job.id;
    this.said = "";
    this.state = element("p", { class: "progress-state" });
    this.bar = element("progress", { max: 1, "aria-label": "How much of this stage is done" });
    this.note = element("p", { class: "note progress-note" });
    this.stages = element("ol", { class: "stages", "aria-label": "Stages" });
    this.error = element("p", { class: "error", role: "alert", hidden: true });
    this.cancel = element("button", { type: "button", class: "cancel", onclick: () => this.end() }, "Cancel");
    this.node = element(
      "div",
      { class: "job-progress", role: "group", "aria-label": "Progress of the search" },
      this.state,
      this.bar,
      this.note,
      this.stages,
      this.error,
      this.cancel,
    );
  }

  show(job) {
    const isRunning = job.state === "running";
    this.node.dataset.state = job.state;
    const said = isRunning && job.stage ? stageName(job.stage) : jobWords(job);
    this.state.textContent = isRunning ? `${said} …` : said;
    if (said !== this.said) announce(said);
    this.said = said;
    this.bar.hidden = !isRunning;
    setAttributes(this.bar, { value: job.share || null });
    this.note.textContent = job.note;
    this.cancel.hidden = hasEnded(job);
    fill(this.stages, stageItems(job));
  }

  trouble(error) {
    this.error.hidden = !error;
    this.error.textContent = error ? error.message : "";
  }

  async end() {
    this.cancel.disabled = true;
    try {
      // Whoever follows the job hears from the job itself what became of it.
      await remove(`/api/jobs/${encodeURIComponent(this.id)}`);
    } catch (error) {
      this.trouble(error);
      this.cancel.disabled = false;
    }
  }
}

function stageItems(job) {
  const items = job.stages.map((stage, at) => {
    const isLast = at === job.stages.length - 1;
    const isPresent = isLast && job.state === "running";
    const isDone = !isLast || job.state === "done";
    const again = job.stages.indexOf(stage) < at ? ", again" : "";
    const shape = isDone ? "✓" : isPresent ? "›" : "–";
    const sign = element("span", { class: "sign", "aria-hidden": "true" }, shape);
    const share = isPresent && job.share ? element("span", { class: "share" }, percent(job.share)) : null;
    const attributes = { class: isDone ? "done" : "present", "aria-current": isPresent ? "step" : null };
    return element("li", attributes, sign, stageName(stage) + again, share);
  });
  return items.slice(-MOST_STAGES);
}

// Some stages can't tell how far they are; 0 % would look as if they stood still.
const shareWords = (job) => (job.share ? `, ${percent(job.share)}` : "");

function waitingWords(job) {
  return job.ahead ? `Waiting: ${counted(job.ahead, "search", "searches")} before it` : "Waiting to begin";
}
