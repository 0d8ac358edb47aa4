// Shows a part of the page in a sheet for a while, if there is no room for it beside the list.

import { element } from "./dom.js";

let count = 0;

/** Show a node in a sheet, and put it back where it was when the sheet is closed; then call `onClose()`. */
export function openSheet(node, { heading, onClose = () => {} }) {
  const id = `sheet-heading-${(count += 1)}`;
  const place = document.createComment("");
  node.replaceWith(place);
  const close = element("button", { type: "button", class: "primary", onclick: () => sheet.close() }, "Done");
  const title = element("h2", { id, dir: "auto" }, heading);
  const sheet = element("dialog", { class: "sheet", "aria-labelledby": id }, title, node, element("div", { class: "actions" }, close));
  sheet.addEventListener("click", ({ target }) => target === sheet && sheet.close());
  sheet.addEventListener("close", () => {
    place.replaceWith(node);
    sheet.remove();
    onClose();
  });
  document.body.append(sheet);
  sheet.showModal();
  return sheet;
}
