// Where a session stands: found, looked at, left, and what to do next.

import { byId, element, fill } from "./dom.js";
import { counted, number, rounded } from "./words.js";

/** Show a status; `onAudit(count)` and `onCalibrate(count)` are called by buttons that draw what is advised. */
export function showStatus(status, { onAudit, onCalibrate, onGoOn }) {
  // Before anything was looked at, a recall of 0 would read like a result.
  const recall = status.looked_at ? status.recall : { value: null, low: null, high: null };
  fill(
    byId("facts"),
    fact("found", number(status.relevant), "", "found besides seeds"),
    fact("left", about(status.left), range(status.left, number), "estimated to be left"),
    fact("recall", decimal(recall.value), range(recall, decimal), "recall so far"),
    fact("looked-at", number(status.looked_at), `of ${number(status.pool)}`, "looked at"),
  );
  const { kind, count, text, further } = status.advice;
  const shown = new Set([text, further, status.readings_text, ...status.cautions]);
  fill(
    byId("advice"),
    element("p", {}, text),
    further && element("p", { id: "further" }, further),
    status.cautions.map((said) => element("p", { class: "note caution" }, said)),
    kind === "audit" && act("draw-audit", `Draw ${number(count)} at random`, () => onAudit(count)),
    kind === "go on" && act("go-on", "Continue with the next", onGoOn),
    status.readings_text && element("p", { id: "readings" }, status.readings_text),
    status.calibrate > 0 &&
      act("draw-calibration", `Mark ${number(status.calibrate)} from further down`, () => onCalibrate(status.calibrate)),
  );
  fill(
    byId("sentences"),
    status.sentences.filter((said) => !shown.has(said)).map((said) => element("p", {}, said)),
  );
  byId("status-words").hidden = !status.sentences.length;
  showRules(status.rules);
}

/**
 * Show what marks change at once, before the server has said what follows from them.
 *
 * `before` are the counts at the time of the status, and `now` the current ones.
 */
export function showCounts(status, before, now) {
  const relevant = status.relevant + now.relevant - before.relevant;
  const lookedAt = status.looked_at + now.marked - before.marked;
  const unlearned = Math.max(0, status.unlearned + now.given - before.given);
  setFact("found", number(relevant));
  setFact("looked-at", number(Math.max(0, lookedAt)));
  byId("bar-figures").textContent = `${number(relevant)} found · ${about(status.left)} left`;
  showUnlearned(unlearned, now.marked > 0);
}

/** Show what every stopping rule says, with its aim under its name. */
function showRules(rules) {
  const rows = rules.map(({ rule, says, stops, description }) => {
    const [name, ...aims] = rule.split(/[()]/).filter(Boolean);
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, name, aims.map((aim) => element("span", { class: "aims" }, aim))),
      element("td", { class: stops && "stops" }, says),
      element("td", {}, description),
    );
  });
  fill(byId("rules-say"), rows);
}

function showUnlearned(unlearned, isMarked) {
  const rest = isMarked ? "All marks have been learned." : "Nothing is marked yet.";
  byId("unlearned").textContent = unlearned ? `${counted(unlearned, "mark")} not learned from yet.` : rest;
  byId("learn-again").classList.toggle("primary", unlearned > 0);
}

function setFact(name, value) {
  const shown = document.querySelector(`[data-fact="${name}"] dd`)?.firstChild;
  if (shown && shown.textContent !== value) shown.textContent = value;
}

function fact(name, value, range, words) {
  return element(
    "div",
    { "data-fact": name },
    element("dt", {}, words),
    element("dd", {}, value, range ? element("span", { class: "range" }, range) : null),
  );
}

const act = (id, words, onclick) => element("button", { type: "button", id, onclick }, words);

const decimal = (value) => (value === null ? "–" : value.toFixed(2));

function about({ value }) {
  return value === null ? "–" : `~${number(rounded(value))}`;
}

function range({ low, high }, write) {
  if (low === null || high === null) return "";
  const [from, to] = write === number ? [rounded(low), rounded(high)] : [low, high];
  return write(from) === write(to) ? "" : `${write(from)}–${write(to)}`;
}

