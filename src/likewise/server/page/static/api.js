// Asks the server, and turns its refusals into errors that can be shown as they are.

const UNREACHED = "The server can't be reached. Is “likewise serve” still running?";

/** A refusal: one line for people, the status of HTTP (0 if nothing was answered), and how many seconds to wait. */
class ApiError extends Error {
  constructor(message, status = 0, retryAfter = 0) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

export const get = (path, options) => ask("GET", path, options);
export const post = (path, body = {}, options = {}) => ask("POST", path, { ...options, body });
export const put = (path, body = {}, options = {}) => ask("PUT", path, { ...options, body });
export const patch = (path, body = {}, options = {}) => ask("PATCH", path, { ...options, body });
export const remove = (path, options) => ask("DELETE", path, options);

/** Send a file's bytes as they are. */
export const upload = (path, bytes, options = {}) => ask("POST", path, { ...options, bytes });

/** Write an address with parameters; those that are undefined, null or "" are left out. */
export function address(path, parameters = {}) {
  const given = Object.entries(parameters).filter(([, value]) => (value ?? "") !== "");
  const query = new URLSearchParams(given).toString();
  return query ? `${path}?${query}` : path;
}

/** The address of a session, with what follows it: `ofSession(id, "marks", "undo")`. */
export function ofSession(id, ...rest) {
  return ["/api/sessions", id, ...rest].map((part, at) => (at ? encodeURIComponent(part) : part)).join("/");
}

/**
 * Answers about one thing that changes: an older answer never replaces a newer one, however late it comes.
 *
 * `await answers.read(get(…))` is null for an answer that is older than what is already known;
 * `await answers.change(put(…))` makes everything that was asked for before it old.
 */
export class Answers {
  constructor() {
    this.asked = this.known = 0;
  }

  async read(answer) {
    const turn = (this.asked += 1);
    const found = await answer;
    if (turn < this.known) return null;
    this.known = turn;
    return found;
  }

  async change(answer) {
    const found = await answer;
    this.known = this.asked += 1;
    return found;
  }
}

/** Tell whether an error only says that a request was given up for a newer one. */
export const isAborted = (error) => error?.name === "AbortError";

async function ask(method, path, { body, bytes, signal, keepalive } = {}) {
  const request = { method, signal, keepalive, headers: { Accept: "application/json" } };
  if (body !== undefined) {
    request.headers["Content-Type"] = "application/json";
    request.body = JSON.stringify(body);
  } else if (bytes !== undefined) {
    request.headers["Content-Type"] = "application/octet-stream";
    request.body = bytes;
  }
  const response = await fetch(path, request).catch(unreached);
  const answer = await response.json().catch((error) => {
    if (isAborted(error)) throw error;
    return null;
  });
  if (response.ok && answer !== null) return answer;
  throw refusal(response, answer);
}

function unreached(error) {
  if (isAborted(error)) throw error;
  throw new ApiError(UNREACHED);
}

function refusal(response, answer) {
  const plain = `The server answered with status ${response.status} and nothing else.`;
  const wait = Number(response.headers.get("Retry-After")) || 0;
  return new ApiError(answer?.error?.message ?? plain, response.status, wait);
}
