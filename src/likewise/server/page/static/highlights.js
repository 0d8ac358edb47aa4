// Words to highlight: one's own, for and against, and those that the filter asks for.

const MOST_WORDS = 300;
const MOST_LETTERS = 100;
const SPECIAL = /[.*+?^${}()|[\]\\/]/g;
// If kinds overlap, the later one is shown.
const KINDS = ["strong", "sought", "good", "bad"];

/** Return the words and phrases of a text, separated by line breaks, commas or semicolons, each once. */
export function readWords(text) {
  const words = text.split(/[\n,;]+/).map((word) => word.trim().replace(/\s+/g, " ").slice(0, MOST_LETTERS));
  return [...new Set(words.filter(Boolean))].slice(0, MOST_WORDS);
}

/** The words to highlight; the browser keeps one's own for each session. */
export class Highlights {
  constructor(session) {
    this.place = `likewise.words.${session}`;
    this.own = { good: [], bad: [] };
    this.patterns = {};
    this.choose(this.read());
  }

  /** Return what was kept, as far as it makes sense: anything may have been written there. */
  read() {
    try {
      const kept = JSON.parse(localStorage.getItem(this.place) ?? "{}");
      const words = (list) => (Array.isArray(list) ? readWords(list.join("\n")) : []);
      return { good: words(kept.good), bad: words(kept.bad) };
    } catch {
      return {};
    }
  }

  /** Take one's own words: `{ good, bad }`, each a list. */
  choose({ good = [], bad = [] }) {
    this.own = { good, bad };
    if (good.length || bad.length || localStorage.getItem(this.place)) localStorage.setItem(this.place, JSON.stringify(this.own));
    this.patterns.good = makePattern(good, begins);
    this.patterns.bad = makePattern(bad, begins);
  }

  /** Take the words of the filter, which may be parts of words. */
  seek(words) {
    this.patterns.sought = makePattern(words, (word) => word);
  }

  /** Cut pieces of a text, each strong or not, where words begin and end: `[{ text, kind }]`. */
  cut(pieces) {
    const text = pieces.map((piece) => piece.text).join("");
    const ranges = [...findStrong(pieces), ...this.findWords(text)];
    const points = [...new Set([0, text.length, ...ranges.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
    return points.slice(1).map((to, at) => {
      const from = points[at];
      const kinds = ranges.filter((range) => range.from <= from && to <= range.to).map(({ kind }) => kind);
      return { text: text.slice(from, to), kind: KINDS.findLast((kind) => kinds.includes(kind)) ?? "" };
    });
  }

  findWords(text) {
    return Object.entries(this.patterns).flatMap(([kind, pattern]) => {
      const found = pattern ? [...text.matchAll(pattern)] : [];
      return found.map(({ 0: word, index }) => ({ kind, from: index, to: index + word.length }));
    });
  }
}

function findStrong(pieces) {
  let end = 0;
  const placed = pieces.map(({ text, strong }) => ({ kind: strong ? "strong" : "", from: end, to: (end += text.length) }));
  return placed.filter(({ kind }) => kind);
}

/** Make a pattern of words, the longest first, so that the longer of two that begin alike is found. */
function makePattern(words, make) {
  if (!words.length) return null;
  const ordered = words.toSorted((one, other) => other.length - one.length);
  const written = ordered.map((word) => make(word.replace(SPECIAL, "\\$&").replace(/\s+/g, "\\s+")));
  return new RegExp(written.join("|"), "giu");
}

/** One's own words match beginnings of words: "random" matches "randomised", but "rat" does not match "migration". */
const begins = (word) => `(?<![\\p{L}\\p{N}])${word}[\\p{L}\\p{N}]*`;
