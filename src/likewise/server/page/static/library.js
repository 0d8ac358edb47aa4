// The library of this page, among those of the server.

import { address } from "./api.js";

/** The id of the library, or "" if there is only one, or none yet. */
export const libraryId = document.body.dataset.library ?? "";

/** Write an address of something in the library. */
export const inLibrary = (path, parameters = {}) => address(path, { ...parameters, library: libraryId });

/** The address of a library, with what follows it: `ofLibrary(id, "files")`. */
export const ofLibrary = (id, ...rest) => ["/api/libraries", ...[id, ...rest].map(encodeURIComponent)].join("/");

/** The address of the page of a library. */
export const pageOfLibrary = (id) => address("/", { library: id });
