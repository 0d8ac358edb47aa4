// The paragraph for the methods section of a paper, and the button that copies it.

import { announce, byId, toast } from "./dom.js";

/** Let the paragraph be copied. */
export function setUpMethods() {
  byId("copy-methods").addEventListener("click", async () => {
    const place = byId("methods-text");
    try {
      await navigator.clipboard.writeText(place.textContent);
      toast("Copied.");
    } catch {
      // Without encryption, browsers let only pages of this computer write to the clipboard.
      getSelection().selectAllChildren(place);
      toast("This browser does not let pages copy. The paragraph is selected: copy it with the keyboard.");
    }
  });
}

/** Show the paragraph, if there is one. */
export function showMethods({ methods }) {
  const [section, place] = [byId("methods"), byId("methods-text")];
  if (section.hidden && methods) announce("There is a paragraph for your methods section.");
  section.hidden = !methods;
  // A selection stays as long as the text is the same.
  if (place.textContent !== methods) place.textContent = methods;
}
