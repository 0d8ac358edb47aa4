// The list of libraries: choose, rename and delete them.

import { get, patch, remove } from "./api.js";
import { ask } from "./dialogs.js";
import { byId, element, fill } from "./dom.js";
import { libraryId, ofLibrary, pageOfLibrary } from "./library.js";
import { counted, cut, exactly, since } from "./words.js";

/** Show the libraries. */
export async function listLibraries() {
  try {
    const { libraries } = await get("/api/libraries");
    byId("libraries-empty").hidden = libraries.length > 0;
    fill(byId("libraries-list"), libraries.map(row));
  } catch (error) {
    byId("libraries-error").hidden = false;
    byId("libraries-error").textContent = error.message;
  }
}

function row(library) {
  const isHere = library.id === libraryId;
  const link = { href: pageOfLibrary(library.id), class: "title", "aria-current": isHere ? "page" : null };
  const changed = library.changed && element("time", { datetime: library.changed, title: exactly(library.changed) }, since(library.changed));
  const about = [counted(library.documents, "paper"), library.waiting && `${counted(library.waiting, "file")} not read yet`];
  return element(
    "li",
    { class: "session library-row", "data-library": library.id },
    element("h3", {}, element("a", link, library.name), isHere && element("span", { class: "badge" }, "here")),
    element("p", { class: "note" }, about.filter(Boolean).join(" · "), changed && " · ", changed),
    library.can_change && actions(library),
  );
}

function actions(library) {
  const act = (words, onclick) =>
    element("button", { type: "button", class: "quiet", "aria-label": `${words}: ${cut(library.name, 80)}`, onclick }, words);
  return element(
    "div",
    { class: "session-actions" },
    act("Rename", () => askToRename(library)),
    act("Delete", () => askToDelete(library)),
  );
}

function askToRename(library) {
  const name = element("input", { maxlength: 100, autocomplete: "off", required: true, autofocus: true });
  name.value = library.name;
  ask({
    heading: "Rename the library",
    body: [element("label", { class: "field" }, "Name", name)],
    confirm: "Rename",
    onConfirm: () => patch(ofLibrary(library.id), { name: name.value }),
    onDone: () => location.reload(),
  });
}

function askToDelete(library) {
  const papers = counted(library.documents, "paper");
  ask({
    heading: "Delete the library?",
    body: [element("p", {}, `“${library.name}” with its ${papers} will be deleted for good. The files you dropped are no longer on this server.`)],
    confirm: "Delete",
    isDanger: true,
    onConfirm: () => remove(ofLibrary(library.id)),
    onDone: () => (library.id === libraryId ? location.assign("/") : location.reload()),
  });
}
