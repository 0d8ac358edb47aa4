// Exports: which format, how much, and the link that gives the file.

import { address, get, ofSession } from "./api.js";
import { byId, element, fill, toast } from "./dom.js";

const KEPT = "likewise.export";
const USUAL = "ris";

/** Set the export up; `settled()` waits for marks that are on their way. */
export async function setUpExport(session, settled) {
  const [format, everything, link] = [byId("export-format"), byId("export-everything"), byId("export-link")];
  const show = () => {
    const isWhole = format.value === "json";
    everything.disabled = isWhole;
    const asked = { format: format.value, everything: everything.checked && !isWhole };
    link.href = address(ofSession(session, "export"), asked);
  };
  link.addEventListener("click", async (event) => {
    if (link.dataset.isReady) return delete link.dataset.isReady;
    // Marks of this moment belong into the file.
    event.preventDefault();
    await settled();
    link.dataset.isReady = "yes";
    // A click by a key has to be over before a link can be clicked again.
    setTimeout(() => link.click());
  });
  for (const field of [format, everything]) field.addEventListener("change", show);
  format.addEventListener("change", () => localStorage.setItem(KEPT, format.value));
  try {
    const { formats } = await get("/api/formats");
    fill(format, options(formats));
    const wanted = localStorage.getItem(KEPT) ?? USUAL;
    if (formats.some(({ name, writes }) => writes && name === wanted)) format.value = wanted;
  } catch (error) {
    toast(error);
  }
  show();
}

function options(formats) {
  const written = formats.filter(({ writes }) => writes);
  return written.map(({ name, description }) => {
    return element("option", { value: name }, description ? `${name}: ${description}` : name);
  });
}
