// What a session was made of: its seeds, its settings, and what may be wrong with them.

import { byId, element, fill } from "./dom.js";
import { alarm } from "./entry.js";
import { counted, exactly, number, sentence, since } from "./words.js";

const NAMES = { seed: "Random seed" };

export function showOverview(session) {
  showAbout(session);
  showWarnings(session.expansion?.warnings ?? []);
  showSeeds(session);
  const chosen = Object.entries(session.settings).filter(([, value]) => value !== "");
  const rows = chosen.map(([key, value]) =>
    element("div", {}, element("dt", {}, NAMES[key] ?? key.charAt(0).toUpperCase() + key.slice(1)), element("dd", {}, written(value))),
  );
  fill(byId("settings").querySelector("dl"), rows);
}

// What changes with every mark stands elsewhere, where it is kept up to date.
function showAbout({ seeds, expansion, created }) {
  const found = expansion && counted(expansion.pool, "candidate");
  const when = element("time", { datetime: created, title: exactly(created) }, `started ${since(created)}`);
  const parts = [counted(seeds, "seed"), found, when].filter(Boolean);
  fill(byId("about"), parts.flatMap((part, at) => (at ? [" · ", part] : [part])));
}

function showWarnings(warnings) {
  const place = byId("warnings");
  place.hidden = !warnings.length;
  fill(place.querySelector("ul"), warnings.map((said) => element("li", {}, sentence(said))));
}

function showSeeds({ seeds, matched, text_only: textOnly, not_found: notFound }) {
  const place = byId("seeds");
  fill(place.querySelector("summary"), counted(seeds, "seed"));
  fill(
    place.querySelector("ul"),
    matched.map((document) => item(document)),
    textOnly.map((document) => item(document, "text only")),
    notFound.map((name) => element("li", {}, name, " ", badge("not found"))),
  );
}

function item({ title, id, year, links, warning }, state = "") {
  const [first] = links;
  const name = title || id;
  const outside = { target: "_blank", rel: "noreferrer noopener" };
  const named = first ? element("a", { href: first.address, ...outside }, name) : name;
  return element("li", { dir: "auto" }, named, year ? ` ${year}` : "", state ? [" ", badge(state)] : null, " ", alarm(warning));
}

const badge = (text) => element("span", { class: "badge" }, text);

const written = (value) => (typeof value === "number" ? number(value) : value);
