// Draws the course of a screening: found against looked at, so far and if one reads on.

import { label } from "./charts.js";
import { byId, drawing, element, fill } from "./dom.js";
import { counted, number, rounded } from "./words.js";

const [WIDTH, HEIGHT] = [300, 172];
const [LEFT, RIGHT, TOP, BOTTOM] = [32, 286, 20, 138];
const [TICKS_ACROSS, TICKS_UP] = [4, 4];
const ENOUGH = 10;
const LATEST = 50;
const WIDEST = 5;
const HEADROOM = 1.06;
const HALF_LABEL = 56;

/** Draw the course of a status: the curve so far, the estimate ahead, and where it is likely to end. */
export function showCourse({ course, target, looked_at }) {
  const figure = byId("found-figure");
  const now = { read: course.read.at(-1), found: course.found.at(-1) };
  figure.hidden = now.read < ENOUGH;
  if (figure.hidden) return;
  const plot = new Plot(course, now);
  const words = captions(course, { ...now, maybe: looked_at - now.read }, target);
  const svg = drawing(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-labelledby": "found-title found-about" },
    drawing("title", { id: "found-title" }, "Found, by how many were looked at"),
    drawing("desc", { id: "found-about" }, words.join(" ")),
    drawing("clipPath", { id: "course-clip" }, drawing("rect", { x: LEFT, y: 0, width: RIGHT - LEFT, height: BOTTOM })),
    plot.axes(),
    drawing("g", { "clip-path": "url(#course-clip)" }, plot.ahead(), course.further && plot.end(course.further)),
    plot.soFar(),
    course.further && plot.endLabel(course.further, target),
  );
  fill(figure, svg, element("figcaption", {}, words.join(" ")));
}

class Plot {
  constructor(course, now) {
    Object.assign(this, { course, now });
    this.across = this.lastShown();
    const highest = course.ahead.filter(({ read }) => read <= this.across).map(({ high }) => high);
    this.up = HEADROOM * Math.max(1, now.found, ...highest, highAt(course.ahead, this.across));
  }

  /** Return how far the drawing goes: to the likely end, but not so far that what was done becomes a speck. */
  lastShown() {
    const [{ read }, last, further] = [this.now, this.course.ahead.at(-1)?.read ?? this.now.read, this.course.further];
    const wanted = further ? read + 1.15 * further.high : 1.4 * read;
    const most = Math.max(WIDEST * read, read + 1.25 * (further?.value ?? 0));
    return Math.max(read, Math.min(last, Math.max(1.2 * read, Math.min(wanted, most))));
  }

  x(read) {
    return LEFT + (read / this.across) * (RIGHT - LEFT);
  }

  y(found) {
    return BOTTOM - (found / this.up) * (BOTTOM - TOP);
  }

  axes() {
    const [counts, finds] = [ticks(this.across, TICKS_ACROSS), ticks(this.up, TICKS_UP)];
    return [
      finds.map((tick) => line({ class: tick ? "tick" : "grid", x1: LEFT, x2: RIGHT, y1: this.y(tick), y2: this.y(tick) })),
      finds.map((tick) => label(number(tick), { x: LEFT - 5, y: this.y(tick) + 4, "text-anchor": "end" })),
      counts.map((tick) => line({ class: "grid", x1: this.x(tick), x2: this.x(tick), y1: BOTTOM, y2: BOTTOM + 4 })),
      counts.map((tick) => label(number(tick), { x: this.x(tick), y: BOTTOM + 16, "text-anchor": "middle" })),
      label("found", { x: 0, y: 10 }),
      label("looked at", { x: RIGHT, y: HEIGHT - 3, "text-anchor": "end" }),
    ];
  }

  ahead() {
    const { ahead } = this.course;
    const along = (key, points = ahead) => points.map((point) => [this.x(point.read), this.y(point[key])]);
    const band = [...along("high"), ...along("low", ahead.toReversed())];
    return [
      drawing("path", { class: "band", d: `${path(band)}Z` }),
      drawing("path", { class: "ahead", d: path(along("found")) }),
    ];
  }

  soFar() {
    const { read, found } = this.course;
    const points = read.map((count, at) => [this.x(count), this.y(found[at])]);
    const [cx, cy] = points.at(-1);
    return [drawing("path", { class: "growth", d: path(points) }), drawing("circle", { class: "point", cx, cy, r: 3.5 })];
  }

  /** Draw where the advice is likely to change, and between which counts. */
  end({ value, low, high }) {
    const [from, at, to] = [low, value, high].map((more) => this.x(this.now.read + more));
    return [
      drawing("rect", { class: "end-range", x: from, y: TOP, width: Math.max(0, to - from), height: BOTTOM - TOP }),
      line({ class: "threshold", x1: at, x2: at, y1: TOP, y2: BOTTOM }),
    ];
  }

  endLabel({ value }, { proof }) {
    const said = `${proof === "audits" ? "audit" : "stop"} at about ${number(this.now.read + rounded(value))}`;
    const x = Math.max(LEFT + HALF_LABEL, Math.min(this.x(this.now.read + value), WIDTH - HALF_LABEL));
    return label(said, { x, y: 10, "text-anchor": "middle" });
  }
}

/** Say what is drawn. */
function captions({ read, found, ahead, further }, now, { proof }) {
  const last = ahead.at(-1);
  const rest = last.read - now.read;
  const [more, low, high] = [last.found, last.low, last.high].map((count) => number(rounded(count - now.found)));
  const range = low === high ? "" : ` (${low}–${high})`;
  const expected = `Dashed: the ${number(rest)} others are likely to hold about ${more} more${range}, shaded with 80 % confidence.`;
  return [
    `${number(now.found)} found among ${number(now.read)} looked at${lately(read, found)}.`,
    now.maybe > 0 && `${counted(now.maybe, "document is", "documents are")} marked maybe, and not counted here.`,
    rest && expected,
    further && ending(further, now, proof),
  ].filter(Boolean);
}

function ending({ value, low, high }, { read }, proof) {
  const [at, from, to] = [value, low, high].map((more) => number(read + rounded(more)));
  const what = proof === "audits" ? "An audit is probably due" : "You can probably stop";
  return `${what} at about ${at} looked at${from === to ? "" : ` (${from}–${to})`}.`;
}

/** Say how many of the latest were found, if more were looked at than these. */
function lately(read, found) {
  const from = read.findLastIndex((count) => count <= read.at(-1) - LATEST);
  if (from < 1) return "";
  return `; ${number(found.at(-1) - found[from])} of the last ${number(read.at(-1) - read[from])}`;
}

/** Return the upper end of the estimate at the point where `read` documents are looked at. */
function highAt(ahead, read) {
  const after = ahead.findIndex((point) => point.read >= read);
  if (after < 1) return ahead[0]?.high ?? 0;
  const [one, other] = [ahead[after - 1], ahead[after]];
  return one.high + ((other.high - one.high) * (read - one.read)) / (other.read - one.read || 1);
}

/** Return about `about` round numbers, from 0 to at most `most`. */
function ticks(most, about) {
  const rough = most / about;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].find((times) => times * unit >= rough) * unit);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step);
}

const path = (points) => points.map(([x, y], at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

const line = (attributes) => drawing("line", attributes);
