// The histogram of scores.

import { scoreAt } from "./curve.js";
import { byId, drawing, element, fill } from "./dom.js";
import { counted } from "./words.js";

const WIDTH = 300;
const HALF = 52;

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
    // Between the edges of bars, a score is only approximate, so the caption gives no number.
    this.caption.textContent = `Scores of ${named.seeds} and ${named.pool}, counted on a logarithmic scale, and the line.`;
  }
}

function total({ seeds, pool }) {
  const sum = (counts) => counts.reduce((before, count) => before + count, 0);
  return { seeds: counted(sum(seeds), "seed"), pool: counted(sum(pool), "candidate") };
}

/** Write a text into a drawing. */
export const label = (text, attributes) => drawing("text", attributes, text);
