// One document of the list: where it stands, what it says, why it is there, and its mark.

import { element } from "./dom.js";
import { number } from "./words.js";

const MOST_AUTHORS = 3;

export const LABELS = [
  { label: "relevant", name: "Relevant", sign: "✓", key: "r" },
  { label: "irrelevant", name: "Irrelevant", sign: "✕", key: "i" },
  { label: "maybe", name: "Maybe", sign: "?", key: "m" },
];

let made = 0;

/** Make the item of a document. */
export function makeEntry(entry) {
  const id = `title-${(made += 1)}`;
  const article = element(
    "article",
    { tabindex: -1, "aria-labelledby": id },
    standing(entry),
    element("h3", { class: "title", id, dir: "auto" }, pieces(entry.title) || "(no title)"),
    about(entry.document),
    markButtons(id),
    element("p", { class: "abstract", dir: "auto" }, pieces(entry.abstract)),
    why(entry),
  );
  const item = element("li", { class: "entry", "data-id": entry.document.id, "data-rank": entry.rank ?? "" }, article);
  showCurrent(item, false);
  return item;
}

/** Show how a document is marked, and whether that is saved. */
export function showMark(node, label, isSaving) {
  node.dataset.mark = label ?? "";
  node.classList.toggle("saving", isSaving);
  for (const button of node.querySelectorAll("button[data-label]")) {
    button.setAttribute("aria-pressed", String(button.dataset.label === label));
  }
  const said = LABELS.find((one) => one.label === label)?.name ?? "";
  node.querySelector(".said").textContent = isSaving ? "saving …" : said;
}

export function showOpen(node, isOpen) {
  node.classList.toggle("open", isOpen);
  node.querySelector(".fold").setAttribute("aria-expanded", String(isOpen));
}

export function showCurrent(node, isCurrent) {
  const article = node.firstChild;
  node.classList.toggle("current", isCurrent);
  // Tab leads from the current document past the list, which has no end; arrow keys lead to the others.
  for (const stop of [article, ...node.querySelectorAll("a, button")]) stop.tabIndex = isCurrent ? 0 : -1;
  if (isCurrent) article.setAttribute("aria-current", "true");
  else article.removeAttribute("aria-current");
}

function standing({ rank, probability }) {
  const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("b"));
  bar.firstChild.style.width = `${100 * (probability ?? 0)}%`;
  const likely = probability === null ? null : [bar, element("span", {}, probability.toFixed(2))];
  return element(
    "p",
    { class: "standing" },
    element("span", { class: "rank" }, unseen("Rank "), rank === null ? "–" : number(rank)),
    element("span", { class: "probability", title: "How likely it is to be on topic" }, likely),
  );
}

function about({ authors, journal, year, links }) {
  const families = authors.slice(0, MOST_AUTHORS).map((author) => author.split(",")[0].trim());
  const names = families.join(", ") + (authors.length > MOST_AUTHORS ? " et al." : "");
  const facts = [names, journal, year].filter(Boolean).map((fact) => element("span", { dir: "auto" }, fact));
  const places = links.map(({ name, address }) =>
    element("a", { href: address, target: "_blank", rel: "noreferrer noopener" }, name),
  );
  const fold = element("button", { type: "button", class: "quiet fold", "aria-expanded": "false" }, "Abstract");
  return element("div", { class: "about" }, facts, places, fold);
}

function markButtons(title) {
  const buttons = LABELS.map(({ label, name, sign, key }) =>
    element(
      "button",
      {
        type: "button",
        "data-label": label,
        "aria-pressed": "false",
        "aria-describedby": title,
        title: `${name} (${key})`,
      },
      element("span", { class: "sign", "aria-hidden": "true" }, sign),
      element("span", { class: "word" }, name),
    ),
  );
  return element(
    "div",
    { class: "marking" },
    element("div", { class: "marks", role: "group", "aria-label": "Mark" }, buttons),
    element("span", { class: "said", "aria-hidden": "true" }),
  );
}

function why({ up, down, nearest_seed: nearest }) {
  const terms = [...up.map((term) => ["up", term]), ...down.map((term) => ["down", term])];
  const listed = terms.map(([way, term]) =>
    element("li", { class: way }, unseen(way === "up" ? "for: " : "against: "), term),
  );
  return element(
    "div",
    { class: "why" },
    listed.length > 0 && element("ul", { class: "terms", "aria-label": "Words for and against it" }, listed),
    nearest ? element("p", { class: "nearest", dir: "auto" }, "Most like: ", nearest.title || nearest.id) : null,
  );
}

const unseen = (text) => element("span", { class: "visually-hidden" }, text);

function pieces(texts) {
  const made = texts.map(({ text, strong }) => (strong ? element("mark", {}, text) : text));
  return made.length ? made : null;
}
