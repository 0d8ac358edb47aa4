// Asks for a session's new name, and whether to really delete it.

import { address, ofSession, patch, remove } from "./api.js";
import { ask } from "./dialogs.js";
import { announce, element } from "./dom.js";
import { hasEnded } from "./jobs.js";
import { counted } from "./words.js";

const MOST_NAME = 200;

/** Ask for a new name; `onDone(name)` is called once it is saved. */
export function askToRename(session, onDone) {
  const input = element("input", { id: "new-name", maxlength: MOST_NAME, required: true, autocomplete: "off" });
  input.value = session.name;
  ask({
    heading: "Rename session",
    body: [element("div", { class: "field" }, element("label", { for: "new-name" }, "Name"), input)],
    confirm: "Save",
    onConfirm: async () => {
      const { name } = await patch(ofSession(session.id), { name: input.value.trim() });
      return name;
    },
    onDone: (name) => {
      announce(`Renamed: ${name}`);
      onDone(name);
    },
  });
  input.select();
}

/** Ask whether to delete, saying what is lost; `onDone()` is called once it is gone. */
export function askToDelete(session, onDone) {
  const everything = address(ofSession(session.id, "export"), { format: "json" });
  const download = element("a", { href: everything, download: true }, "Download everything first");
  ask({
    heading: "Delete this session?",
    body: [
      element("p", {}, element("strong", { class: "title" }, session.name)),
      element("p", {}, `${lost(session)} are deleted for good. The library stays as it is.`),
      element("p", { class: "note" }, download),
    ],
    confirm: "Delete",
    isDanger: true,
    onConfirm: () => remove(ofSession(session.id)),
    onDone: () => {
      announce(`Deleted: ${session.name}`);
      onDone();
    },
  });
}

function lost({ seeds, relevant, irrelevant, maybe, expansions, job }) {
  const marks = relevant + irrelevant + maybe;
  const parts = [
    counted(seeds, "seed"),
    marks && counted(marks, "mark"),
    expansions && counted(expansions, "expansion"),
    job && !hasEnded(job) && "the running search",
  ].filter(Boolean);
  const last = parts.pop();
  return `Its ${parts.length ? `${parts.join(", ")} and ${last}` : last}`;
}
