// The dialog for one's own words to highlight, and for where one's library has full texts.

import { byId } from "./dom.js";
import { readWords } from "./highlights.js";

const RESOLVER = "likewise.resolver";
const PLACE = /\{(doi|pmid|pmcid|title)\}/g;
const NO_RESOLVER = "Begin with https:// and name {doi}, {pmid}, {pmcid} or {title} in it, or leave it empty.";

/** Set the dialog up; `onChange()` is called when the choices were saved. */
export function setUpOwnWords(highlights, onChange) {
  const [dialog, problem] = [byId("own"), byId("resolver-problem")];
  const fields = { good: byId("own-good"), bad: byId("own-bad"), resolver: byId("resolver") };
  byId("open-own").addEventListener("click", () => {
    fields.good.value = highlights.own.good.join("\n");
    fields.bad.value = highlights.own.bad.join("\n");
    fields.resolver.value = localStorage.getItem(RESOLVER) ?? "";
    problem.hidden = true;
    dialog.showModal();
  });
  byId("cancel-own").addEventListener("click", () => dialog.close());
  dialog.querySelector("form").addEventListener("submit", (event) => {
    const resolver = fields.resolver.value.trim();
    problem.hidden = !resolver || isResolver(resolver);
    problem.textContent = problem.hidden ? "" : NO_RESOLVER;
    if (!problem.hidden) return event.preventDefault();
    localStorage.setItem(RESOLVER, resolver);
    highlights.choose({ good: readWords(fields.good.value), bad: readWords(fields.bad.value) });
    onChange();
  });
}

/** Return where one's own library has a document; null if no address is kept, or it names nothing that the document has. */
export function fullTextAddress(document) {
  const resolver = localStorage.getItem(RESOLVER) ?? "";
  if (!isResolver(resolver)) return null;
  const isKnown = [...resolver.matchAll(PLACE)].some(([, name]) => document[name]);
  return isKnown ? resolver.replace(PLACE, (_, name) => encodeURIComponent(document[name])) : null;
}

const isResolver = (text) => /^https?:\/\//i.test(text) && text.search(PLACE) >= 0;
