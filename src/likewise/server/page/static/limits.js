// The dialog that limits the list: it lists the choices, and writes them into the filter.

import { get, ofSession } from "./api.js";
import { byId, element, fill } from "./dom.js";
import { number } from "./words.js";

// What the dialog writes, and reads back: year:2010..2015, source:"a file.ris".
const WRITTEN = /(?<=^|\s)(year|source|type|tag|reason):("[^"]*"|[^\s()"]*)(?=\s|$)/giu;
const CHOICES = ["source", "type", "tag", "reason"];

/** Set the dialog up; `offered()` returns all tags and all reasons, each as a list of names. */
export function setUpLimits(session, filter, offered) {
  const dialog = byId("limits");
  const years = [byId("limit-from"), byId("limit-to")];
  const open = async () => {
    byId("limits-problem").hidden = true;
    dialog.showModal();
    const { rest, chosen } = readLimits(filter.words.value);
    byId("limit-words").value = rest;
    years.forEach((field, at) => (field.value = readYears(chosen.year)[at]));
    const { tags, reasons } = offered();
    show({ chosen, tags: tags.map(plain), reasons: reasons.map(plain) });
    try {
      const found = await get(ofSession(session, "limits"));
      years.forEach((field, at) => (field.placeholder = [found.first_year, found.last_year][at] ?? ""));
      // Somebody may have changed the choice meanwhile, even to nothing.
      show({ ...found, tags: tags.map(plain), reasons: reasons.map(plain) });
    } catch (error) {
      byId("limits-problem").hidden = false;
      byId("limits-problem").textContent = error.message;
    }
  };
  byId("open-limits").addEventListener("click", open);
  byId("cancel-limits").addEventListener("click", () => dialog.close());
  byId("clear-limits").addEventListener("click", () => {
    for (const field of dialog.querySelectorAll("select, input")) field.value = "";
  });
  dialog.querySelector("form").addEventListener("submit", () => {
    const chosen = Object.fromEntries(CHOICES.map((name) => [name, byId(`limit-${name}`).value]));
    filter.setLimits(writeLimits(byId("limit-words").value, years.map((field) => field.value.trim()), chosen));
  });
}

/** Split a filter into what the dialog shows, and the rest of it. */
function readLimits(words) {
  const chosen = {};
  const rest = words.replace(WRITTEN, (whole, name, value) => {
    const field = name.toLowerCase();
    // The dialog writes no field twice, and none beside NOT, OR or brackets.
    if (field in chosen || /\b(NOT|OR)\b|[()]/.test(words)) return whole;
    chosen[field] = value.replaceAll('"', "");
    return "";
  });
  return { rest: rest.replace(/\s+/g, " ").trim(), chosen };
}

/** Write a filter: words, years and the choice for each field. */
function writeLimits(words, [from, to], chosen) {
  const year = from || to ? [`year:${from === to ? from : `${from}..${to}`}`] : [];
  const fields = CHOICES.filter((name) => chosen[name]).map((name) => `${name}:${quote(chosen[name])}`);
  const limits = [...year, ...fields].join(" ");
  const isJoined = limits && /\bOR\b/.test(words);
  return [isJoined ? `(${words.trim()})` : words.trim(), limits].filter(Boolean).join(" ");
}

function show({ chosen = {}, sources = [], types = [], tags, reasons }) {
  const listed = { source: sources, type: types, tag: tags, reason: reasons };
  for (const name of CHOICES) {
    const place = byId(`limit-${name}`);
    const kept = place.value || chosen[name] || "";
    const given = listed[name].some((one) => isSame(one.name, kept)) || !kept ? listed[name] : [plain(kept), ...listed[name]];
    const options = given.map((one) => element("option", { value: one.name }, one.documents ? `${one.name} (${number(one.documents)})` : one.name));
    fill(place, element("option", { value: "" }, "any"), options);
    place.value = given.find((one) => isSame(one.name, kept))?.name ?? "";
    place.disabled = !given.length;
  }
}

function readYears(year = "") {
  const [from, to = from] = year.split("..");
  return [from, to];
}

const plain = (name) => ({ name, documents: 0 });

const quote = (value) => (/[\s()]/.test(value) ? `"${value}"` : value);

const isSame = (one, other) => one.toLowerCase() === other.toLowerCase();
