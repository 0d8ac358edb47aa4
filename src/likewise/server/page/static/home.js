// The page where searches begin, and sessions are found again.

import { beginSearches } from "./beginning.js";
import { showLeftNote } from "./dom.js";
import { Draft } from "./draft.js";
import { showDraft } from "./draft_list.js";
import { takePapers } from "./giving.js";
import { searchLibrary } from "./search.js";
import { listSessions } from "./session_list.js";

const draft = new Draft();
showDraft(draft);
takePapers(draft, { most: Number(document.body.dataset.mostUpload) });
searchLibrary(draft);
beginSearches(draft);
listSessions();
showLeftNote();

addEventListener("pagehide", () => draft.settle());
// A page that the browser kept may show a draft that has become a session since.
addEventListener("pageshow", (event) => {
  if (event.persisted) draft.reload();
});
