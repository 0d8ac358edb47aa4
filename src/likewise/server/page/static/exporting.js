// Exports: which format, how much, and the link that gives the file.

import { address, get, ofSession } from "./api.js";
import { byId, element, fill, toast } from "./dom.js";
import { cut } from "./words.js";

const KEPT = "likewise.export";
const USUAL = ["ris", "csv", "xlsx", "bibtex", "nbib"];
const LONGEST = 34;
const EVERYTHING = "json";
const NO_MARKS = " This format has no place for marks: what is irrelevant can't be told from the rest.";

const CONTENTS = {
  listed: "The seeds, what is marked, and what is above the line.",
  relevant: "The seeds, and what is marked relevant.",
  all: "The seeds, and the whole ranking.",
};

/** Set the export up; `settled()` waits for marks that are on their way. */
export async function setUpExport(session, settled) {
  const [format, which, link] = [byId("export-format"), byId("export-which"), byId("export-link")];
  let known = [];
  const show = () => {
    const isWhole = format.value === EVERYTHING;
    which.disabled = isWhole;
    const asked = { format: format.value, which: which.value };
    link.href = address(ofSession(session, "export"), asked);
    const chosen = known.find(({ name }) => name === format.value);
    byId("export-note").textContent = contents(asked) + (chosen && !chosen.notes ? NO_MARKS : "");
  };
  byId("report-link").href = ofSession(session, "report");
  link.addEventListener("click", async (event) => {
    if (link.dataset.isReady) return delete link.dataset.isReady;
    // The latest marks belong in the file.
    event.preventDefault();
    await settled();
    link.dataset.isReady = "yes";
    // A click by a key has to be over before a link can be clicked again.
    setTimeout(() => link.click());
  });
  for (const field of [format, which]) field.addEventListener("change", show);
  format.addEventListener("change", () => localStorage.setItem(KEPT, format.value));
  try {
    const { formats } = await get("/api/formats");
    known = formats;
    fill(format, options(formats));
    const wanted = localStorage.getItem(KEPT) ?? USUAL[0];
    if (formats.some(({ name, writes }) => writes && name === wanted)) format.value = wanted;
  } catch (error) {
    toast(error);
  }
  show();
}

function contents({ format, which }) {
  if (format === EVERYTHING) return "Everything: seeds, expansions, audits, and every mark ever given.";
  return CONTENTS[which];
}

function options(formats) {
  const written = formats.filter(({ writes }) => writes);
  const place = ({ name }) => (USUAL.includes(name) ? USUAL.indexOf(name) : USUAL.length);
  const ordered = written.toSorted((one, other) => place(one) - place(other));
  return ordered.map(({ name, description }) => {
    return element("option", { value: name }, `${name} · ${cut(description, LONGEST)}`);
  });
}
