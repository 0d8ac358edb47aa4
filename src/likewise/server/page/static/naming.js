// The session's name: shown, and changed in place.

import { ofSession, patch } from "./api.js";
import { byId, toast } from "./dom.js";

/** Let the name be changed in place, which makes answers about the session old; returns a function that shows a name. */
export function setUpName(session, answers) {
  const [heading, form, field, open] = [byId("name"), byId("rename"), byId("new-name"), byId("open-rename")];
  const show = (name) => {
    heading.textContent = name;
    document.title = `${name} · likewise`;
  };
  const edit = (isEdited) => {
    form.hidden = !isEdited;
    heading.parentElement.hidden = isEdited;
    if (!isEdited) return open.focus();
    field.value = heading.textContent;
    field.focus();
    field.select();
  };
  open.addEventListener("click", () => edit(true));
  byId("cancel-rename").addEventListener("click", () => edit(false));
  field.addEventListener("keydown", (event) => event.key === "Escape" && edit(false));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const name = field.value.trim();
    if (!name || name === heading.textContent) return edit(false);
    try {
      show((await answers.change(patch(ofSession(session), { name }))).name);
      edit(false);
    } catch (error) {
      toast(error);
    }
  });
  return show;
}
