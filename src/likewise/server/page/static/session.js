// The page of a session: puts the list, the marks, the line and the overview together.

import { Answers, get, ofSession } from "./api.js";
import { announce, byId, showLeftNote, toast } from "./dom.js";
import { changeWords, showChanges } from "./changes.js";
import { Histogram } from "./charts.js";
import { showCourse } from "./course.js";
import { setUpExport } from "./exporting.js";
import { leaveBoxes, listenToKeys } from "./keys.js";
import { actionsOf } from "./leading.js";
import { Learning } from "./learning.js";
import { showMap } from "./link_map.js";
import { Marks } from "./marks.js";
import { Criteria } from "./criteria.js";
import { setUpMethods, showMethods } from "./methods_text.js";
import { setUpName } from "./naming.js";
import { News } from "./news.js";
import { showOverview } from "./overview.js";
import { setUpPanels } from "./panels.js";
import { setUpPrisma } from "./prisma.js";
import { Screening } from "./screening.js";
import { SelfLearning } from "./self_learning.js";
import { showCounts, showStatus } from "./status.js";
import { setUpTarget } from "./target.js";
import { Team } from "./team.js";
import { counted, number } from "./words.js";

const STATUS_PAUSE = 600;
const session = document.body.dataset.session;
const path = ofSession(session);

const answers = new Answers();
const statuses = new Answers();

const showName = setUpName(session, answers);
const showTarget = setUpTarget(session, () => refresh());
const histogram = new Histogram();
const team = new Team(session, { settled: () => catchUp() });
const openPrisma = setUpPrisma(session, () => screening.settled());
const criteria = new Criteria(session);
const unsaved = new Map();
const marks = new Marks(session, {
  changed: showMark,
  queue: (count, error) => showQueue("mark", error && { count, error }),
  saved: refreshSoon,
  refused: (error) => toast(error),
  lostReason: loseReason,
});
const screening = new Screening(session, marks, {
  lineMoved: (rank) => histogram.follow(rank),
  lineSaved: refreshSoon,
  relearned: () => catchUp(),
  remarks: (count, error) => showQueue("tag or note", error && { count, error }),
});
const learning = new Learning(session, answers, {
  begin: () => screening.settled(),
  learned: () => learned().catch(toast),
  renewed: () => renew().catch(toast),
  failed: () => {
    selfLearning.stop();
    news.allow(true);
  },
});
const news = new News(session, {
  begin: () => screening.settled(),
  follow: async (asked) => learning.follow(await answers.change(asked), { isQuiet: true }),
  filter: (words) => screening.filter.setWords(words),
});
const selfLearning = new SelfLearning({
  start: () => learning.startQuietly(),
  // An audit is finished first: it tells how many were left when it was drawn.
  mayStart: () => expansion !== null && !learning.isBusy && screening.filter.wanted.order !== "audit",
});

let expansion = null;
let timer = 0;
let counting = 0;
let known = null;

begin().catch(toast);

async function begin() {
  showLeftNote();
  setUpExport(session, () => screening.settled());
  setUpMethods();
  const dialogs = { criteria: () => criteria.toggle(), settle: () => team.open(), prisma: openPrisma };
  listenToKeys(actionsOf(screening), { filter: () => screening.filter.focus(), ...dialogs });
  leaveBoxes(() => screening.list.focus());
  setUpPanels(() => screening.list.item?.node);
  document.addEventListener("visibilitychange", () => document.hidden || catchUp());
  addEventListener("pageshow", (event) => event.persisted && catchUp());
  const all = [get(path), marks.refresh(), screening.remarking.refresh(), criteria.refresh()];
  const [answer] = (await answers.read(Promise.all(all))) ?? [];
  if (!answer) return;
  show(answer);
  if (answer.expansion) await openRanking(answer.expansion);
}

function show(answer) {
  showName(answer.name);
  showOverview(answer);
  learning.show(answer);
  if (answer.expansion) news.refresh({ isOver: !learning.isBusy }).catch(toast);
}

/** Show the latest ranking, and how it differs from the one before. */
async function openRanking(latest) {
  expansion = latest.number;
  byId("columns").hidden = byId("bar").hidden = false;
  await screening.begin(latest.number);
  await tellChanges(latest);
}

async function tellChanges(latest) {
  await Promise.all([refresh(), drawFigures(latest)]);
  const changes = latest.number > 1 ? await get(`${path}/changes`).catch(() => null) : null;
  if (latest.number !== expansion) return null;
  showChanges(changes, screening.goTo);
  return changes;
}

/** Show what was learned meanwhile, without disturbing whoever is reading. */
async function renew() {
  const answer = await answers.read(get(path));
  if (!answer) return;
  show(answer);
  if (!answer.expansion || answer.expansion.number === expansion) return refresh();
  expansion = answer.expansion.number;
  await screening.renew(expansion);
  const changes = await tellChanges(answer.expansion);
  if (changes && !learning.isBusy) learning.tell(`Learned. ${changeWords(changes)}`, "Learned.");
}

async function learned() {
  const answer = await answers.read(get(path));
  if (!answer?.expansion) return;
  show(answer);
  await openRanking(answer.expansion);
  const said = `Learned: the line is below rank ${number(answer.expansion.decided)}.`;
  announce(said);
  // If the overview is folded away, nothing else would say so.
  if (!byId("side").offsetParent) toast(said);
}

/** Show what happened elsewhere while nobody looked at this tab. */
async function catchUp() {
  try {
    await Promise.all([marks.refresh(), screening.remarking.refresh(), criteria.refresh()]);
    if (expansion !== null) return await renew();
    const answer = await answers.read(get(path));
    if (!answer) return;
    show(answer);
    if (answer.expansion) await openRanking(answer.expansion);
  } catch (error) {
    toast(error);
  }
}

/** Show a document's mark, and the counts, at once. */
function showMark(id) {
  screening.showMark(id);
  if (marks.isSaving(id)) selfLearning.mark();
  // Many marks may change at once, such as when the tab is seen again.
  counting ||= requestAnimationFrame(() => {
    counting = 0;
    screening.remarking.reasons.show();
    if (known) showCounts(known.status, known.counts, marks.count());
  });
}

/** Ask soon where the session stands; while somebody marks without a pause, ask now and then. */
function refreshSoon() {
  timer ||= setTimeout(async () => {
    await refresh().catch(() => {});
    timer = 0;
    if (known && known.counts.given !== marks.count({ unsaved: false }).given) refreshSoon();
  }, STATUS_PAUSE);
}

async function refresh() {
  if (expansion === null) return;
  const before = marks.count({ unsaved: false });
  const all = [get(`${path}/status`), screening.line.refresh(), team.refresh()];
  const [status] = (await statuses.read(Promise.all(all))) ?? [];
  if (!status) return;
  // The status may count marks that were saved after it was asked for; they must not be counted twice.
  const counts = status.last < marks.last ? before : marks.count({ unsaved: false });
  known = { status, counts };
  showStatus(status, {
    onAudit: (count) => screening.draw("audit", count),
    onCalibrate: (count) => screening.draw("calibrate", count),
    onGoOn: () => screening.goOn().catch(toast),
  });
  showCounts(status, counts, marks.count());
  selfLearning.tell(status);
  showTarget(status);
  showCourse(status);
  showMethods(status);
}

async function drawFigures(latest) {
  const { scores, map } = await get(`${path}/figures`);
  if (latest.number !== expansion) return;
  histogram.show(scores, screening.line.rank);
  showMap(map, screening.goTo);
}

/** Tell whether the reason of a mark on its way is gone from the list; then the mark is saved without it. */
async function loseReason(name) {
  await screening.remarking.reasons.refresh();
  const isLost = !screening.remarking.reasons.has(name);
  if (isLost) toast(`The reason “${name}” is no longer in the list. What you excluded for it stays excluded, without a reason.`);
  return isLost;
}

/** Say how many of a kind could not be saved yet, and why; null for none. */
function showQueue(kind, trouble) {
  const place = byId("unsaved");
  if (trouble) unsaved.set(kind, trouble);
  else unsaved.delete(kind);
  place.hidden = !unsaved.size;
  const parts = [...unsaved].map(([one, { count }]) => counted(count, one, one === "mark" ? "marks" : "tags and notes"));
  const [first] = unsaved.values();
  const said = first ? `${parts.join(" and ")} not saved yet; trying again. ${first.error.message}` : "";
  if (place.textContent !== said) place.textContent = said;
}
