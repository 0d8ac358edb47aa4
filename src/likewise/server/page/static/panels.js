// On narrow screens the filter and the overview are folded away: these functions open and close them.

import { byId } from "./dom.js";

/** Open or close "tools" or "side"; without `isOpen`, open what is closed and close what is open. */
export function togglePanel(name, isOpen = undefined) {
  const isShown = byId("session").classList.toggle(`shows-${name}`, isOpen);
  byId(`open-${name}`).setAttribute("aria-expanded", String(isShown));
  return isShown;
}

/** Let the buttons of the bar open and close them; `place()` is the node to return to after the overview. */
export function setUpPanels(place) {
  byId("open-tools").addEventListener("click", () => togglePanel("tools"));
  byId("open-side").addEventListener("click", () => {
    const left = place();
    const isOpen = togglePanel("side");
    (isOpen ? byId("side") : left)?.scrollIntoView({ block: "start" });
  });
}
