// The PRISMA flow diagram: shown, completed by the numbers of the full-text stage, and downloaded.

import { address, get, ofSession, put } from "./api.js";
import { announce, byId, element, fill, toast } from "./dom.js";
import { counted, number } from "./words.js";

const NUMBERS = ["sought", "not_retrieved", "assessed", "included"];
const FORMATS = ["svg", "png", "html", "csv", "json"];
const COUNT = /^(.*\S)\s*=\s*([0-9][0-9,]*)$/;

/** Set the dialog up, and return a function that opens it; `settled()` waits for marks that are on their way. */
export function setUpPrisma(session, settled) {
  const path = ofSession(session, "prisma");
  const dialog = byId("prisma-dialog");
  let kept = null;
  const show = (numbers) => {
    const picture = byId("flow-picture");
    // The address differs each time, so that the browser shows no old picture.
    picture.src = address(`${path}/diagram`, { format: "svg", at: Date.now() });
    picture.alt = inWords(numbers);
    fill(byId("flow-remarks"), numbers.remarks.map((remark) => element("li", {}, remark)));
  };
  const open = async () => {
    await settled();
    const [numbers, given] = await Promise.all([get(path), get(`${path}/numbers`)]);
    kept = given;
    fillForm(given);
    show(numbers);
    tell("");
    fill(byId("flow-files"), "Download:", FORMATS.map((name) => file(path, name)));
    dialog.showModal();
  };
  byId("open-prisma").addEventListener("click", () => open().catch(toast));
  byId("close-prisma").addEventListener("click", () => dialog.close());
  byId("flow-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const given = { ...kept, ...readForm() };
      show(await put(`${path}/numbers`, given));
      kept = given;
      tell("");
      announce("Kept.");
    } catch (error) {
      tell(error.message);
    }
  });
  return () => open().catch(toast);
}

function fillForm(given) {
  for (const name of NUMBERS) byId(`flow-${name}`).value = given[name] ?? "";
  byId("flow-excluded").value = given.excluded.map((one) => `${one.name} = ${one.number}`).join("\n");
}

function readForm() {
  const numbers = NUMBERS.map((name) => [name, byId(`flow-${name}`).value === "" ? null : Number(byId(`flow-${name}`).value)]);
  const lines = byId("flow-excluded").value.split("\n").map((line) => line.trim()).filter(Boolean);
  return { ...Object.fromEntries(numbers), excluded: lines.map(readCount) };
}

function readCount(line) {
  const found = COUNT.exec(line);
  if (!found) throw new Error(`“${line}” is not a reason with a number; write, for example: wrong outcome = 12`);
  return { name: found[1], number: Number(found[2].replaceAll(",", "")) };
}

/** Make a link to a file; if the server can't make a picture, the dialog says why. */
function file(path, name) {
  const href = address(`${path}/diagram`, { format: name });
  const link = element("a", { href, download: true }, name.toUpperCase());
  if (name !== "png") return link;
  link.addEventListener("click", async (event) => {
    event.preventDefault();
    try {
      await save(href, "prisma.png");
    } catch (error) {
      tell(error.message);
    }
  });
  return link;
}

async function save(href, name) {
  const answer = await fetch(href);
  if (!answer.ok) throw new Error((await answer.json().catch(() => null))?.error?.message ?? "The picture could not be made; download the SVG instead.");
  const [, called] = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "") ?? [null, name];
  const place = URL.createObjectURL(await answer.blob());
  const link = element("a", { download: called });
  link.href = place;
  link.click();
  setTimeout(() => URL.revokeObjectURL(place));
}

function tell(problem) {
  byId("flow-problem").textContent = problem;
  byId("flow-problem").hidden = !problem;
}

function inWords({ identified, duplicates, records, unscreened, screened, excluded, sought, assessed, included }) {
  const told = (value) => (value === null ? "not given" : number(value));
  const parts = [
    `${told(identified)} records identified`,
    `${told(duplicates)} duplicates`,
    `${counted(records, "record")} without them`,
    `${number(unscreened)} not screened by a person`,
    `${number(screened)} screened`,
    `${number(excluded)} excluded`,
    `reports sought: ${told(sought)}`,
    `assessed: ${told(assessed)}`,
    `studies included: ${told(included)}`,
  ];
  return `PRISMA 2020 flow diagram: ${parts.join("; ")}.`;
}
