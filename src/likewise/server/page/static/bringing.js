// Brings records in: exports that are dropped or chosen become a library, or are added to one.

import { address, get, post, remove, upload } from "./api.js";
import { byId, fill } from "./dom.js";
import { isGathered } from "./gathering.js";
import { libraryId, ofLibrary, pageOfLibrary } from "./library.js";
import { hasEnded } from "./jobs.js";
import { showProgress } from "./progress.js";
import { sourcesTable } from "./sources.js";
import { counted, number } from "./words.js";

const MEGABYTE = 1_000_000;
const SAID = "likewise.brought";
const REFUSED = "likewise.refused";
const NAMELESS = "My records";

/** Take exports that are dropped or chosen, and show what became of earlier ones. */
export function bringRecords({ most }) {
  const desk = new Intake(most);
  takeDropped((files) => desk.bring(files));
  const input = byId("exports");
  input.addEventListener("change", () => {
    const files = [...input.files];
    // Choosing the same file again has to count as a change.
    input.value = "";
    desk.bring(files);
  });
  byId("sample")?.addEventListener("click", () => desk.takeSample());
  byId("make").addEventListener("submit", (event) => {
    event.preventDefault();
    input.click();
  });
  byId("waiting-take").addEventListener("click", () => desk.read());
  byId("waiting-drop").addEventListener("click", () => desk.drop());
  desk.show();
}

function takeDropped(onFiles) {
  const zone = byId("bring");
  let depth = 0;
  const mark = (change) => zone.classList.toggle("over", (depth = change) > 0);
  const hear = (name, act) =>
    // As long as no search can begin, the whole page takes records.
    (byId("begin") ? zone : window).addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      // Files that are dropped outside the zone are seeds, and not records.
      event.stopPropagation();
      act(event);
    });
  hear("dragenter", () => mark(depth + 1));
  hear("dragleave", () => mark(Math.max(0, depth - 1)));
  hear("dragover", () => {});
  hear("drop", (event) => {
    mark(0);
    onFiles([...event.dataTransfer.files]);
  });
}

/** Brings records into one library: the one of this page, or a new one. */
class Intake {
  constructor(most) {
    this.most = most;
    this.id = libraryId;
    this.sending = 0;
    this.turn = Promise.resolve();
    this.isReading = this.takes = this.isAsked = false;
    this.said = [];
    this.last = null;
  }

  /** Show the library's files, and follow what is under way. */
  async show() {
    this.say(sessionStorage.getItem(SAID) ?? "");
    const refused = sessionStorage.getItem(REFUSED);
    if (refused) this.complain(refused);
    for (const kept of [SAID, REFUSED]) sessionStorage.removeItem(kept);
    if (!this.id) return;
    try {
      this.draw(await get(ofLibrary(this.id)));
    } catch (error) {
      this.fail(error.message);
    }
  }

  draw(library) {
    const { sources, waiting_files: waiting, job } = library;
    // A search of PubMed that began in this tab shows its own progress, and then opens its list.
    const isRunning = job && !hasEnded(job) && !isGathered(job);
    byId("records-summary").textContent = summary(library);
    byId("sources").hidden = !sources.length;
    fill(byId("sources"), sourcesTable(library));
    byId("waiting").hidden = isRunning || !waiting.length;
    byId("waiting-said").textContent = `${counted(waiting.length, "file")} not read yet: ${waiting.map(({ name }) => name).join(", ")}`;
    if (isRunning) this.read({ takes: false });
    else if (job?.state === "failed") this.fail(`${job.kind === "intake" ? "The files were not read" : "Not everything was gathered"}: ${job.error}`);
    if (isRunning || waiting.length || !library.documents || location.hash === "#records") byId("records").open = true;
  }

  /** Send files, and have them read once all have arrived; files dropped meanwhile are sent after them. */
  bring(files) {
    if (!files.length) return;
    if (!this.sending && !this.isReading) this.begin();
    this.sending += 1;
    this.turn = this.turn.then(async () => {
      await this.sendAll(files).catch((error) => this.fail(error.message));
      this.sending -= 1;
      if (this.id) this.read();
    });
  }

  async sendAll(files) {
    await this.ensureLibrary(files[0].name);
    for (const [at, file] of files.entries()) {
      this.say(`Sending ${file.name}${files.length > 1 ? `, ${at + 1} of ${files.length}` : ""} …`);
      const receipt = await this.send(file).catch((error) => this.failed(file.name, error));
      if (receipt?.same_as) this.said.push(sameWords(file.name, receipt.same_as));
    }
    this.say(this.said.join(" "));
  }

  async takeSample() {
    if (this.sending || this.isReading) return;
    this.begin();
    this.sending += 1;
    try {
      await this.ensureLibrary("Sample of PubMed");
      this.read({ sample: true });
    } catch (error) {
      this.fail(error.message);
    }
    this.sending -= 1;
  }

  async drop() {
    try {
      this.draw(await remove(ofLibrary(this.id, "files")));
    } catch (error) {
      this.fail(error.message);
    }
  }

  async ensureLibrary(suggested) {
    if (this.id) return;
    const typed = byId("library-name").value.trim();
    const name = typed || (suggested.startsWith("Sample") ? suggested : NAMELESS);
    const { libraries } = await get("/api/libraries");
    const taken = new Set(libraries.map((library) => library.name.toLowerCase()));
    let free = name;
    // Only a name that nobody typed is changed; the server refuses a typed one that is taken, and says why.
    for (let count = 2; !typed && taken.has(free.toLowerCase()); count += 1) free = `${name} ${count}`;
    this.id = (await post("/api/libraries", { name: free })).id;
  }

  send(file) {
    if (file.size > this.most) {
      throw new Error(`it has ${number(Math.ceil(file.size / MEGABYTE))} MB, and at most ${number(this.most / MEGABYTE)} MB are allowed; split it`);
    }
    return upload(address(ofLibrary(this.id, "files"), { name: file.name }), file);
  }

  /**
   * Follow the job that runs, or read what waits or the sample, and then load the whole page again.
   *
   * One job runs at a time: files that come meanwhile are read after it.
   */
  async read({ takes = true, sample = false } = {}) {
    this.takes ||= takes;
    this.isAsked = true;
    if (this.isReading) return;
    this.isReading = true;
    try {
      if (sample) this.last = await this.follow(await post(ofLibrary(this.id, "intakes"), { sample }));
      while (this.isAsked) await this.readOn();
    } catch (error) {
      this.fail(error.message);
    }
    this.isReading = this.takes = this.isAsked = false;
    // Leaving the page while a file is on its way would lose that file.
    if (this.last && !this.sending) this.leave(this.last);
  }

  /** Follow a job that runs, or start one for what waits; after it, look again, since more may have come. */
  async readOn() {
    this.isAsked = false;
    const { job, waiting } = await get(ofLibrary(this.id));
    const isRunning = job && !hasEnded(job);
    if (!isRunning && !(this.takes && waiting)) return;
    this.last = await this.follow(isRunning ? job : await post(ofLibrary(this.id, "intakes"), {}));
    // After a job that failed or was cancelled, no other one is started.
    this.isAsked = this.last.state === "done";
  }

  /** Show a job until it has ended, and return it as it was then. */
  follow(job) {
    byId("waiting").hidden = true;
    byId("records").open = true;
    return new Promise((onEnd) => showProgress(byId("intake"), job, { onEnd }));
  }

  leave(job) {
    const refused = byId("brought-error").textContent;
    if (this.said.length && job.state !== "failed") sessionStorage.setItem(SAID, this.said.join(" "));
    if (refused) sessionStorage.setItem(REFUSED, refused);
    // The whole page depends on the library: how many papers it has, and what can be done with it.
    const page = `${pageOfLibrary(this.id)}#records`;
    if (this.id !== libraryId) return location.assign(page);
    history.replaceState(null, "", page);
    location.reload();
  }

  /** Forget what was said about earlier files. */
  begin() {
    this.said = [];
    byId("brought-error").hidden = true;
    byId("brought-error").textContent = "";
  }

  say(text) {
    byId("brought").textContent = text;
  }

  failed(name, error) {
    const text = error.message.startsWith(name) ? error.message : `${name}: ${error.message}`;
    this.fail([byId("brought-error").textContent, text].filter(Boolean).join(" · "));
  }

  fail(text) {
    this.say("");
    this.complain(text);
  }

  complain(text) {
    byId("brought-error").hidden = false;
    byId("brought-error").textContent = text;
  }
}

function sameWords(name, other) {
  const is = name === other ? "is already here" : `is the same file as ${other}`;
  return `${name} ${is}, so it was not added again.`;
}

function summary({ name, documents, sources }) {
  const from = sources.length ? ` from ${counted(sources.length, "file")}` : "";
  return `${name}: ${counted(documents, "paper")}${from} · add more`;
}
