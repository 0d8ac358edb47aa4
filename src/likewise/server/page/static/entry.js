// One document of the list: where it stands, what it says, why it is there, and its mark.

import { element, fill } from "./dom.js";
import { keyOf } from "./key_choice.js";
import { newBadge } from "./news.js";
import { fullTextAddress } from "./own_words.js";
import { number } from "./words.js";

const MOST_AUTHORS = 3;

export const LABELS = [
  { label: "relevant", name: "Relevant", sign: "✓" },
  { label: "irrelevant", name: "Irrelevant", sign: "✕" },
  { label: "maybe", name: "Maybe", sign: "?" },
];

let made = 0;

/** Make the item of a document; `cut(pieces)` tells which of its words to highlight. */
export function makeEntry(entry, cut) {
  const id = `title-${(made += 1)}`;
  const article = element(
    "article",
    { tabindex: -1, "aria-labelledby": id },
    standing(entry),
    element("h3", { class: "title", id, dir: "auto" }),
    about(entry.document, entry.new),
    element("div", { class: "marking" }, markButtons(id), element("span", { class: "said", "aria-hidden": "true" })),
    opinions(entry),
    element("p", { class: "abstract", dir: "auto" }),
    why(entry),
    element("p", { class: "remarks" }),
  );
  const item = element("li", { class: "entry", "data-id": entry.document.id, "data-rank": entry.rank ?? "" }, article);
  showTexts(item, entry, cut);
  showFullText(item, entry);
  showCurrent(item, false);
  return item;
}

/** Show title and abstract with their highlighted words. */
export function showTexts(node, entry, cut) {
  fill(node.querySelector(".title"), pieces(cut(entry.title)) ?? "(no title)");
  fill(node.querySelector(".abstract"), pieces(cut(entry.abstract)));
}

/** Show where one's own library has the full text. */
export function showFullText(node, { document }) {
  const address = fullTextAddress(document);
  node.querySelector(".full-text")?.remove();
  if (address) node.querySelector(".about .fold").before(outside(address, "Full text", "full-text"));
}

/** Show where a document stands now; its text stays as it is. */
export function showStanding(node, entry) {
  node.dataset.rank = entry.rank ?? "";
  node.querySelector(".standing").replaceWith(standing(entry));
}

/** Show how a document is marked, and whether that is saved. */
export function showMark(node, label, isSaving) {
  node.dataset.mark = label ?? "";
  // A marked document is no longer new.
  for (const badge of node.querySelectorAll(".badge.new")) badge.hidden = Boolean(label);
  node.classList.toggle("saving", isSaving);
  showPressed(node, label);
  const said = LABELS.find((one) => one.label === label)?.name ?? "";
  node.querySelector(".said").textContent = isSaving ? "saving …" : said;
}

/** Show which button a document was marked with. */
export function showPressed(node, label) {
  for (const button of node.querySelectorAll("button[data-label]")) {
    button.setAttribute("aria-pressed", String(button.dataset.label === label));
  }
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

function about({ authors, journal, year, links, warning }, isNew = "") {
  const families = authors.slice(0, MOST_AUTHORS).map((author) => author.split(",")[0].trim());
  const names = families.join(", ") + (authors.length > MOST_AUTHORS ? " et al." : "");
  const facts = [names, journal, year].filter(Boolean).map((fact) => element("span", { dir: "auto" }, fact));
  const places = links.map(({ name, address }) => outside(address, name));
  const fold = element("button", { type: "button", class: "quiet fold", "aria-expanded": "false" }, "Abstract");
  return element("div", { class: "about" }, newBadge(isNew), alarm(warning), facts, places, fold);
}

/** Make the badge of a paper that was retracted or is doubted; none for others. */
export const alarm = (warning) => (warning ? element("strong", { class: "badge alarm" }, warning) : null);

/** Make the buttons that mark a document; `title` is the id of its title's element. */
export function markButtons(title) {
  const buttons = LABELS.map(({ label, name, sign }) =>
    element(
      "button",
      {
        type: "button",
        "data-label": label,
        "aria-pressed": "false",
        "aria-describedby": title,
        title: `${name} (${keyOf(label)})`,
      },
      element("span", { class: "sign", "aria-hidden": "true" }, sign),
      element("span", { class: "word" }, name),
    ),
  );
  return element("div", { class: "marks", role: "group", "aria-label": "Mark" }, buttons);
}

function why({ up, down, nearest_seed: nearest, links }) {
  const terms = [...up.map((term) => ["up", term]), ...down.map((term) => ["down", term])];
  const listed = terms.map(([way, term]) =>
    element("li", { class: way }, unseen(way === "up" ? "for: " : "against: "), term),
  );
  return element(
    "div",
    { class: "why" },
    listed.length > 0 && element("ul", { class: "terms", "aria-label": "Words for and against it" }, listed),
    nearest ? element("p", { class: "nearest", dir: "auto" }, "Most like: ", nearest.title || nearest.id) : null,
    links ? element("p", { class: "nearest links", dir: "auto" }, "Citations: ", links) : null,
  );
}

/** Show what other reviewers marked and wrote, as far as the server reveals it. */
function opinions({ others, is_conflict: isConflict, other_notes: notes }) {
  if (!others.length && !notes) return null;
  const said = others.map(({ reviewer, label, is_settling: isSettling }) => `${isSettling ? "settled by " : ""}${reviewer || "(no name)"}: ${label}`);
  return element("p", { class: "opinions", dir: "auto" }, said.join(" · "), isConflict && [" ", element("span", { class: "badge" }, "conflict")], notes && element("span", { class: "noted" }, notes));
}

const unseen = (text) => element("span", { class: "visually-hidden" }, text);

const outside = (href, name, kind = null) =>
  element("a", { href, class: kind, target: "_blank", rel: "noreferrer noopener" }, name);

function pieces(texts) {
  const made = texts.map(({ text, kind }) => (kind ? element("mark", { class: kind }, text) : text));
  return made.length ? made : null;
}
