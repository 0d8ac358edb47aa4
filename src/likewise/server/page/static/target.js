// The target of a session: which recall to reach, how sure to be of it, and what that rests on.

import { ofSession, put } from "./api.js";
import { byId, element, fill, toast } from "./dom.js";

const USUAL = { recall: [0.8, 0.9, 0.95, 0.99, 1], confidence: [0.8, 0.9, 0.95, 0.99] };

/** Let the target be chosen; `onChosen()` is called once it is kept. Returns a function that shows a status's target. */
export function setUpTarget(session, onChosen) {
  const fields = { recall: byId("target-recall"), confidence: byId("target-confidence"), proof: byId("target-proof") };
  let before = Promise.resolve();
  let underway = 0;
  const save = async (chosen) => {
    try {
      await put(ofSession(session, "target"), chosen);
    } catch (error) {
      toast(error);
    }
    underway -= 1;
    // If a choice was refused, the old one is shown again.
    if (!underway) await onChosen().catch(toast);
  };
  byId("target").addEventListener("change", () => {
    const { recall, confidence, proof } = fields;
    const chosen = { recall: Number(recall.value), confidence: Number(confidence.value), proof: proof.value };
    underway += 1;
    before = before.then(() => save(chosen));
  });
  return ({ target, promise }) => {
    if (underway) return;
    for (const [name, field] of Object.entries(fields)) {
      if (USUAL[name]) offer(field, USUAL[name], target[name]);
      if (field.value !== String(target[name])) field.value = String(target[name]);
    }
    byId("promise").textContent = promise;
  };
}

/** Offer the usual shares, and the one that is kept; a list that offers these already stays, since it may be open. */
function offer(field, usual, kept) {
  const shares = [...new Set([...usual, kept])].sort((one, other) => one - other).map(String);
  if ([...field.options].map(({ value }) => value).join() === shares.join()) return;
  fill(field, shares.map((value) => element("option", { value }, `${Number((100 * value).toFixed(2))} %`)));
}
