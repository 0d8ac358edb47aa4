// The page of a session: puts the list, the marks, the line and the overview together.

import { get, ofSession } from "./api.js";
import { announce, byId, showLeftNote, toast } from "./dom.js";
import { showChanges } from "./changes.js";
import { Histogram } from "./charts.js";
import { showCourse } from "./course.js";
import { setUpExport } from "./exporting.js";
import { listenToKeys } from "./keys.js";
import { Learning } from "./learning.js";
import { Marks } from "./marks.js";
import { setUpMethods, showMethods } from "./methods_text.js";
import { setUpName } from "./naming.js";
import { showOverview } from "./overview.js";
import { setUpPanels } from "./panels.js";
import { Screening } from "./screening.js";
import { showStatus } from "./status.js";
import { setUpTarget } from "./target.js";
import { counted, number } from "./words.js";

const STATUS_PAUSE = 1000;
const session = document.body.dataset.session;
const path = ofSession(session);

const showName = setUpName(session);
const showTarget = setUpTarget(session, () => refresh());
const histogram = new Histogram();
const marks = new Marks(session, {
  changed: (id) => screening.showMark(id),
  queue: showQueue,
  saved: refreshSoon,
  refused: (error) => toast(error),
});
const screening = new Screening(session, marks, {
  lineMoved: (rank) => histogram.follow(rank),
  lineSaved: refreshSoon,
  relearned: () => catchUp(),
});
const learning = new Learning(session, {
  begin: () => marks.settled(),
  learned: () => learned().catch(toast),
});

let expansion = null;
let timer = 0;
let turns = 0;

begin().catch(toast);

async function begin() {
  showLeftNote();
  setUpExport(session, () => marks.settled());
  setUpMethods();
  listenToKeys(screening.keys, { "/": () => screening.filter.focus() });
  setUpPanels(() => screening.list.item?.node);
  document.addEventListener("visibilitychange", () => document.hidden || catchUp());
  addEventListener("pageshow", (event) => event.persisted && catchUp());
  const [answer] = await Promise.all([get(path), marks.refresh()]);
  show(answer);
  if (answer.expansion) await openRanking(answer.expansion);
}

function show(answer) {
  showName(answer.name);
  showOverview(answer);
  learning.show(answer);
}

/** Show the latest ranking, and what it says otherwise than the one before. */
async function openRanking(latest) {
  expansion = latest.number;
  byId("columns").hidden = byId("bar").hidden = false;
  await screening.begin(latest.number);
  await refresh();
  const changes = latest.number > 1 ? await get(`${path}/changes`).catch(() => null) : null;
  showChanges(changes, screening.goTo);
}

async function learned() {
  const answer = await get(path);
  if (!answer.expansion) return;
  show(answer);
  await openRanking(answer.expansion);
  const said = `Learned: the line is below rank ${number(answer.expansion.decided)}.`;
  announce(said);
  // Where the overview is folded away, nothing else would tell.
  if (!byId("side").offsetParent) toast(said);
}

/** See what happened elsewhere while this tab was not looked at. */
async function catchUp() {
  try {
    const [answer] = await Promise.all([get(path), marks.refresh()]);
    show(answer);
    if (!answer.expansion) return;
    if (answer.expansion.number === expansion) return refresh();
    await openRanking(answer.expansion);
    toast("The search has learned again meanwhile: this is the new list.");
  } catch (error) {
    toast(error);
  }
}

function refreshSoon() {
  clearTimeout(timer);
  timer = setTimeout(() => refresh().catch(() => {}), STATUS_PAUSE);
}

async function refresh() {
  if (expansion === null) return;
  const turn = ++turns;
  const asked = [get(`${path}/status`), get(`${path}/figures`), screening.line.refresh()];
  const [status, figures] = await Promise.all(asked);
  // What was asked for later is newer, and may have been answered before.
  if (turn !== turns) return;
  showStatus(status, {
    onAudit: (count) => screening.draw("audit", count),
    onCalibrate: (count) => screening.draw("calibrate", count),
    onGoOn: () => screening.goOn(),
  });
  showTarget(status);
  showCourse(status);
  showMethods(status);
  histogram.show(figures.scores, screening.line.rank);
}

function showQueue(count, error) {
  const place = byId("unsaved");
  place.hidden = !error;
  const said = error ? `${counted(count, "mark")} not saved yet; trying again. ${error.message}` : "";
  if (place.textContent !== said) place.textContent = said;
}
