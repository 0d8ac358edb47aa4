// The page where searches begin, libraries are made, and sessions are found again.

import { beginSearches } from "./beginning.js";
import { bringRecords } from "./bringing.js";
import { byId, showLeftNote } from "./dom.js";
import { Draft } from "./draft.js";
import { showDraft } from "./draft_list.js";
import { gatherRecords } from "./gathering.js";
import { takePapers } from "./giving.js";
import { listLibraries } from "./library_list.js";
import { searchLibrary } from "./search.js";
import { listSessions } from "./session_list.js";

if (byId("begin")) {
  const draft = new Draft();
  showDraft(draft);
  takePapers(draft, { most: Number(document.body.dataset.mostUpload) });
  searchLibrary(draft);
  beginSearches(draft);

  addEventListener("pagehide", () => draft.settle());
  // A page that the browser kept may show a draft that has become a session since.
  addEventListener("pageshow", (event) => {
    if (event.persisted) draft.reload();
  });
}
if (byId("records")) {
  bringRecords({ most: Number(document.body.dataset.mostFile) });
  gatherRecords();
  listLibraries();
}
listSessions();
showLeftNote();
