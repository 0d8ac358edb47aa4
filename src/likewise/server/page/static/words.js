// Numbers, times and counts in words, as the command line and the report write them.

const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const day = new Intl.DateTimeFormat("en", { dateStyle: "long" });
const moment = new Intl.DateTimeFormat("en", { dateStyle: "long", timeStyle: "short" });
const STEPS = [
  ["minute", 60],
  ["hour", 3_600],
  ["day", 86_400],
];

export const number = (value) => value.toLocaleString("en");

/** Write a count with its noun: `counted(1, "seed")` is "1 seed". */
export const counted = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

/** Round an estimate to two digits, since it is no more exact than that. */
export function rounded(value) {
  const unit = value >= 100 ? 10 ** (Math.floor(Math.log10(value)) - 1) : 1;
  return Math.floor(value / unit + 0.5) * unit;
}

/** Write a share from 0 to 1 in per cent. */
export const percent = (share) => `${Math.round(100 * share)} %`;

/** Write how long ago a time in ISO 8601 was, or the day if that was over a week ago. */
export function since(time, now = Date.now()) {
  const seconds = (now - Date.parse(time)) / 1000;
  if (Number.isNaN(seconds)) return "";
  if (seconds < 60) return "just now";
  const [unit, size] = STEPS.findLast(([, length]) => seconds >= length);
  const count = Math.floor(seconds / size);
  return unit === "day" && count > 7 ? day.format(Date.parse(time)) : ago.format(-count, unit);
}

/** Write a time in ISO 8601 in full. */
export const exactly = (time) => (Number.isNaN(Date.parse(time)) ? "" : moment.format(Date.parse(time)));

/** Cut a text at a word, so that it has at most about `most` characters. */
export function cut(text, most) {
  if (text.length <= most) return text;
  const head = text.slice(0, most);
  const at = head.lastIndexOf(" ");
  return `${(at > most / 2 ? head.slice(0, at) : head).replace(/[\s.,;:]+$/, "")}…`;
}

/** Write a line as a sentence: with a capital, and a full stop. */
export const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
