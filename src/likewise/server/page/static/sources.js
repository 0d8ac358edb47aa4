// The table of a library's files: how many records were read, how many were new, and what was wrong.

import { element } from "./dom.js";
import { ofLibrary } from "./library.js";
import { pairsOf } from "./pairs.js";
import { counted, exactly, number } from "./words.js";

const HEADS = ["File", "Read", "New", "Duplicates", "Problems"];

/** Make the table, and what goes with it. */
export function sourcesTable({ id, sources }) {
  const broken = total(sources, (one) => one.broken);
  const head = element("tr", {}, HEADS.map((words) => element("th", { scope: "col" }, words)));
  return [
    element(
      "table",
      { class: "sources" },
      element("caption", {}, "What became of the records"),
      element("thead", {}, head),
      element("tbody", {}, sources.map(row)),
      sources.length > 1 && element("tfoot", {}, totals(sources)),
    ),
    total(sources, same) > 0 && pairsOf(id, total(sources, same)),
    sources.filter((one) => one.problems.length).map(reasons),
    broken > 0 && element("p", { class: "note" }, element("a", { href: ofLibrary(id, "problems"), download: true }, "All problems as a table (CSV)")),
  ];
}

const same = (one) => one.merged + one.unchanged;

const total = (sources, count) => sources.reduce((sum, one) => sum + count(one), 0);

function row(one) {
  const name = element("th", { scope: "row", title: exactly(one.time) }, one.name, !one.is_whole && element("span", { class: "badge" }, one.records ? "cut off" : "not read"));
  return element("tr", {}, name, cells(one.records, one.added, same(one), one.broken));
}

function totals(sources) {
  const sums = [(one) => one.records, (one) => one.added, same, (one) => one.broken].map((count) => total(sources, count));
  return element("tr", {}, element("th", { scope: "row" }, "Together"), cells(...sums));
}

const cells = (...counts) => counts.map((count) => element("td", {}, number(count)));

function reasons(one) {
  const more = one.broken - one.problems.length;
  return element(
    "details",
    { class: "more" },
    element("summary", {}, `${one.name}: ${counted(one.broken, "problem")}`),
    element("ul", { class: "plain note" }, one.problems.map((line) => element("li", {}, line)), more > 0 && element("li", {}, `and ${number(more)} more of these`)),
  );
}
