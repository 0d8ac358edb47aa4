// Two small drawings: how scores are spread, and how finding goes.

import { scoreAt } from "./curve.js";
import { byId, drawing, element, fill } from "./dom.js";
import { counted, number } from "./words.js";

const WIDTH = 300;
const HALF = 52;
const FOUND_HEIGHT = 104;
const LATEST = 50;
const ENOUGH = 10;

/** The histogram of scores, whose line follows the one in the list. */
export class Histogram {
  constructor() {
    this.figure = byId("score-figure");
    this.scores = null;
  }

  show(scores, rank) {
    this.scores = scores;
    this.figure.hidden = !scores;
    if (!scores) return;
    const most = Math.log1p(Math.max(1, ...scores.seeds, ...scores.pool));
    const height = (count) => (HALF * Math.log1p(count)) / most;
    const seeds = scores.seeds.map(height).map((tall, bin) => this.bar(bin, { y: HALF - tall, tall, kind: "seed" }));
    this.pool = scores.pool.map(height).map((tall, bin) => this.bar(bin, { y: HALF + 1, tall, kind: "pool" }));
    this.line = drawing("line", { class: "threshold", y1: 0, y2: 2 * HALF + 1 });
    const named = total(scores);
    const svg = drawing(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${2 * HALF + 18}`, role: "img", "aria-labelledby": "score-title score-about" },
      drawing("title", { id: "score-title" }, "How often scores occur"),
      drawing("desc", { id: "score-about" }, `${named.seeds} above, ${named.pool} below, on a logarithmic scale.`),
      seeds,
      this.pool,
      drawing("line", { class: "grid", x1: 0, x2: WIDTH, y1: HALF + 0.5, y2: HALF + 0.5 }),
      label("seeds", { x: 0, y: 10 }),
      label("candidates, low score", { x: 0, y: 2 * HALF + 15 }),
      label("high", { x: WIDTH, y: 2 * HALF + 15, "text-anchor": "end" }),
      this.line,
    );
    fill(this.figure, svg, (this.caption = element("figcaption")));
    this.follow(rank);
  }

  bar(bin, { y, tall, kind }) {
    const { left, right } = this.ends(bin);
    const width = Math.max(0.5, right - left - 1);
    return drawing("rect", { class: `bar ${kind}`, x: left + 0.5, y, width, height: tall });
  }

  ends(bin) {
    const { edges } = this.scores;
    const span = edges.at(-1) - edges[0] || 1;
    const at = (edge) => ((edge - edges[0]) / span) * WIDTH;
    return { left: at(edges[bin]), right: at(edges[bin + 1]) };
  }

  /** Show the line at the score of a rank. */
  follow(rank) {
    if (!this.scores) return;
    const { edges, pool } = this.scores;
    const score = rank ? scoreAt(this.scores, rank) : edges.at(-1);
    const x = ((score - edges[0]) / (edges.at(-1) - edges[0] || 1)) * WIDTH;
    this.line.setAttribute("x1", x);
    this.line.setAttribute("x2", x);
    pool.forEach((_, bin) => this.pool[bin].classList.toggle("above", (edges[bin] + edges[bin + 1]) / 2 >= score));
    const named = total(this.scores);
    const said = `Scores of ${named.seeds} and ${named.pool}, counted logarithmically.`;
    this.caption.textContent = `${said} The line lies at ${score.toFixed(2)}.`;
  }
}

/** Draw how many were found by how many were looked at. */
export function showFound({ looked_at: looked, relevant }) {
  const figure = byId("found-figure");
  figure.hidden = (looked.at(-1) ?? 0) < ENOUGH;
  if (figure.hidden) return;
  const [width, height] = [looked.at(-1) || 1, relevant.at(-1) || 1];
  const points = looked.map((count, index) => [
    ((count / width) * WIDTH).toFixed(1),
    (FOUND_HEIGHT - (relevant[index] / height) * (FOUND_HEIGHT - 8)).toFixed(1),
  ]);
  const path = points.map(([x, y], index) => `${index ? "L" : "M"}${x} ${y}`).join("");
  const [x, y] = points.at(-1);
  const said = `${number(relevant.at(-1))} found among ${number(looked.at(-1))} looked at`;
  const svg = drawing(
    "svg",
    { viewBox: `-2 0 ${WIDTH + 6} ${FOUND_HEIGHT + 18}`, role: "img", "aria-labelledby": "found-title found-about" },
    drawing("title", { id: "found-title" }, "Found, by how many were looked at"),
    drawing("desc", { id: "found-about" }, `${said}.`),
    drawing("line", { class: "grid", x1: 0, x2: WIDTH, y1: FOUND_HEIGHT + 0.5, y2: FOUND_HEIGHT + 0.5 }),
    drawing("path", { class: "growth", d: path }),
    drawing("circle", { class: "point", cx: x, cy: y, r: 3.5 }),
    label(`${number(relevant.at(-1))} found`, { x: 0, y: 12 }),
    label("0", { x: 0, y: FOUND_HEIGHT + 15 }),
    label(`${number(looked.at(-1))} looked at`, { x: WIDTH, y: FOUND_HEIGHT + 15, "text-anchor": "end" }),
  );
  fill(figure, svg, element("figcaption", {}, `${said}${lately(looked, relevant)}.`));
}

/** Say how finding went lately, if that is not all that was looked at. */
function lately(looked, relevant) {
  const from = looked.findLastIndex((count) => count <= looked.at(-1) - LATEST);
  if (from < 1) return "";
  return `; ${number(relevant.at(-1) - relevant[from])} of the last ${number(looked.at(-1) - looked[from])}`;
}

function total({ seeds, pool }) {
  const sum = (counts) => counts.reduce((before, count) => before + count, 0);
  return { seeds: counted(sum(seeds), "seed"), pool: counted(sum(pool), "candidate") };
}

const label = (text, attributes) => drawing("text", attributes, text);
