// Makes elements from texts, never from markup, and tells people what happened.

const SAFE_ADDRESS = /^(https?:\/\/|\/(?!\/)|#)/i;
const NOTE_SECONDS = 7;
const LEFT_NOTE = "likewise.note";

/**
 * Make an element: `element("a", { href: "/", onclick: f }, "text", node, null)`.
 *
 * Attributes that are null, undefined or false are left out, true stands without a value, functions
 * become listeners (`onclick`). Children are nodes, or texts and numbers, which stay texts.
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  setAttributes(made, attributes);
  return fill(made, ...children);
}

/** Put children in place of those that an element has. */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => isThere(child) && child !== "").map(asNode));
  return parent;
}

/** Set attributes; null, undefined and false remove them. */
export function setAttributes(target, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") target.addEventListener(name.replace(/^on/, ""), value);
    else if (!isThere(value)) target.removeAttribute(name);
    else if (name === "href" && !SAFE_ADDRESS.test(value)) target.removeAttribute(name);
    else target.setAttribute(name, value === true ? "" : value);
  }
}

/** Make an SVG element; attributes and children are as for `element`. */
export function drawing(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(made, attributes);
  return fill(made, ...children);
}

export const byId = (id) => document.getElementById(id);

/** Say something to screen readers, after what they are saying now. */
export function announce(text) {
  const region = byId("announcer");
  if (!region) return;
  region.textContent = "";
  // Only changes are read out: without the pause, the same text twice would be silent.
  setTimeout(() => (region.textContent = text), 60);
}

/**
 * Show a line in the corner: `toast(text)`, `toast(error)`, `toast(text, { action, onAction })`.
 *
 * Errors stay until they are closed; notes go by themselves, unless the mouse or the focus is on them.
 */
export function toast(said, { kind = said instanceof Error ? "error" : "note", action = "", onAction = null } = {}) {
  const text = said instanceof Error ? said.message : said;
  const close = () => note.remove();
  const act = () => {
    close();
    onAction();
  };
  const note = element(
    "div",
    { class: `toast ${kind}`, role: kind === "error" ? "alert" : "status" },
    element("p", {}, text),
    action && element("button", { type: "button", class: "quiet", onclick: act }, action),
    element("button", { type: "button", class: "quiet close", "aria-label": "Close", onclick: close }, "×"),
  );
  const same = [...byId("toasts").children].find((one) => one.firstChild.textContent === text);
  same?.remove();
  byId("toasts").append(note);
  if (kind !== "error") fade(note);
  return close;
}

/** Leave a note for the next page to show. */
export function leaveNote(text) {
  sessionStorage.setItem(LEFT_NOTE, text);
}

/** Show the note that the page before left. */
export function showLeftNote() {
  const text = sessionStorage.getItem(LEFT_NOTE);
  sessionStorage.removeItem(LEFT_NOTE);
  if (text) toast(text, { kind: "error" });
}

function fade(note) {
  const isWanted = () => note.matches(":hover, :focus-within");
  const later = () => setTimeout(() => (isWanted() ? later() : note.remove()), NOTE_SECONDS * 1000);
  later();
}

const isThere = (value) => value !== null && value !== undefined && value !== false;

const asNode = (child) => (child instanceof Node ? child : document.createTextNode(String(child)));
