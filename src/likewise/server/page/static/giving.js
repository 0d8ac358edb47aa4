// Ways to give papers: files that are dropped or chosen, and pasted text.

import { post, upload } from "./api.js";
import { byId } from "./dom.js";
import { inLibrary } from "./library.js";
import { counted, number } from "./words.js";

const MEGABYTE = 1_000_000;

/** Take papers that are dropped, chosen or pasted, resolve them, and put them into the draft. */
export function takePapers(draft, { most }) {
  const line = new Line();
  takeFiles(draft, { most, line });
  takePasted(draft, { line });
  takeDropped((files) => line.run(() => readFiles(draft, [...files], { most, line })));
}

function takeFiles(draft, { most, line }) {
  const input = byId("files");
  input.addEventListener("change", () => {
    const files = [...input.files];
    // Choosing the same file again has to count as a change.
    input.value = "";
    line.run(() => readFiles(draft, files, { most, line }));
  });
}

function takePasted(draft, { line }) {
  const box = byId("paste");
  const give = () => line.run(() => readPasted(draft, box, line));
  byId("paste-form").addEventListener("submit", (event) => {
    event.preventDefault();
    give();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    give();
  });
}

function takeDropped(onFiles) {
  const zone = byId("drop");
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  let depth = 0;
  const mark = (change) => zone.classList.toggle("over", (depth = change) > 0);
  // The whole page takes files: one dropped beside the zone would otherwise be opened by the browser.
  addEventListener("dragenter", (event) => hasFiles(event) && mark(depth + 1));
  addEventListener("dragleave", (event) => hasFiles(event) && mark(Math.max(0, depth - 1)));
  addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    mark(0);
    onFiles(event.dataTransfer.files);
  });
}

async function readFiles(draft, files, { most, line }) {
  for (const [at, file] of files.entries()) {
    line.say(files.length > 1 ? `Reading ${file.name}, ${at + 1} of ${files.length} …` : `Reading ${file.name} …`);
    try {
      const resolved = await resolvedFile(file, most);
      line.told(file.name, draft.add(resolved, { file: file.name }), resolved.decisions);
    } catch (error) {
      line.failed(file.name, error);
    }
  }
  line.end();
}

async function resolvedFile(file, most) {
  if (file.size > most) {
    throw new Error(`it has ${Math.ceil(file.size / MEGABYTE)} MB, and at most ${most / MEGABYTE} MB are allowed; split it`);
  }
  if (!file.size) throw new Error("it is empty");
  // Reading the file before it is sent tells a folder, or a file that is gone, from a lost server.
  const bytes = await file.arrayBuffer().catch(() => {
    throw new Error("it can't be read; drop files, not folders");
  });
  return upload(inLibrary("/api/seeds/file", { name: file.name }), bytes);
}

async function readPasted(draft, box, line) {
  const text = box.value;
  if (!text.trim()) {
    box.focus();
    return line.end("The box is empty: paste identifiers or titles, one per line");
  }
  line.say("Looking them up …");
  try {
    line.told("", draft.add(await post(inLibrary("/api/seeds"), { text })));
    if (box.value === text) box.value = "";
  } catch (error) {
    line.failed("", error);
  }
  line.end();
}

/** The line that says what became of the papers; it runs one task after another. */
class Line {
  constructor() {
    this.place = byId("given");
    this.errors = byId("given-error");
    this.turn = Promise.resolve();
  }

  run(task) {
    this.turn = this.turn.then(async () => {
      this.parts = [];
      this.errors.hidden = true;
      this.errors.textContent = "";
      await task();
    });
    return this.turn;
  }

  say(text) {
    this.place.textContent = text;
  }

  told(name, { added, unfound, again }, decisions = []) {
    const said = [
      added && `${counted(added, "paper")} added`,
      unfound && `${number(unfound)} not found`,
      again && `${counted(again, "was", "were")} there already`,
    ];
    const text = said.filter(Boolean).join(", ") || "no paper in it";
    this.parts.push(name ? `${name}: ${text}` : text, ...decisions);
  }

  failed(name, error) {
    const text = name && !error.message.startsWith(name) ? `${name}: ${error.message}` : error.message;
    this.errors.hidden = false;
    this.errors.textContent = [this.errors.textContent, text].filter(Boolean).join(" · ");
  }

  end(text = this.parts.join("; ")) {
    this.say(text && `${text}.`);
  }
}
