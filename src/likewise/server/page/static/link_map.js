// The map of citations: the best linked finds and the seeds, by year, and what links them.

import { label } from "./charts.js";
import { byId, drawing, element, fill } from "./dom.js";

const RADIUS = 5;
const REACH = 7.5;
const HINT = "Point at a paper to see its title; click it to find it in the list.";
const NAMES = { direct: "cites, or is cited", shares: "shares references", together: "cited together" };
const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
const OUTSIDE = { target: "_blank", rel: "noreferrer noopener" };

/** Show the map, or nothing for null; `onOpen(id)` leads to a find in the list. */
export function showMap(map, onOpen) {
  const place = byId("map");
  place.hidden = !map;
  if (map) new LinkMap(map, onOpen).show(place);
}

class LinkMap {
  constructor({ dots, lines, ...rest }, onOpen) {
    Object.assign(this, rest, { onOpen, told: dots, ends: lines });
    this.lines = lines.map((line) => this.line(line));
    this.dots = dots.map((dot, at) => this.dot(dot, at));
    // Arrow keys move along the years.
    this.across = this.dots.map((node, at) => ({ node, x: dots[at].x })).toSorted((a, b) => a.x - b.x).map(({ node }) => node);
  }

  show(place) {
    this.note = element("p", { class: "told", "aria-hidden": "true", dir: "auto" }, HINT);
    this.svg = drawing(
      "svg",
      { viewBox: `0 0 ${this.width} ${this.height}`, role: "group", "aria-labelledby": "map-heading", "aria-describedby": "map-caption" },
      this.lines,
      label("your papers", { x: 0, y: 11 }),
      label("finds", { x: 0, y: this.height - 24 }),
      this.ticks.map(({ x, text }) => label(text, { x, y: this.height - 8, "text-anchor": "middle" })),
      this.dots,
    );
    const caption = element("figcaption", { id: "map-caption" }, this.caption);
    fill(place.querySelector("figure"), this.svg, this.note, this.legend(), caption);
    fill(place.querySelector("details ul"), this.told.filter((dot) => !dot.is_seed).map((dot) => this.item(dot)));
  }

  line({ seed, find, kind }) {
    const [from, to] = [this.told[seed], this.told[find]];
    const middle = (from.y + to.y) / 2;
    const d = `M${from.x} ${from.y}C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`;
    return drawing("path", { class: `link ${kind}`, d });
  }

  dot({ document, is_seed: isSeed, x, y, told }, at) {
    const shape = isSeed
      ? drawing("rect", { x: x - RADIUS + 0.5, y: y - RADIUS + 0.5, width: 2 * RADIUS - 1, height: 2 * RADIUS - 1 })
      : drawing("circle", { cx: x, cy: y, r: RADIUS });
    const goes = isSeed ? { href: document.links[0]?.address ?? "#seeds", ...(document.links.length ? OUTSIDE : {}) } : { href: "#list" };
    return drawing(
      "a",
      {
        ...goes,
        class: `dot ${isSeed ? "seed" : "find"}`,
        tabindex: at ? -1 : 0,
        "aria-label": words({ document, told }),
        onclick: (event) => !isSeed && this.open(event, document.id),
        onpointerenter: () => this.choose(at),
        onpointerleave: () => this.choose(null),
        onfocus: () => this.choose(at),
        onblur: () => this.choose(null),
        onkeydown: (event) => this.move(event),
      },
      // The area that a finger has to hit is larger than the dot.
      drawing("circle", { class: "reach", cx: x, cy: y, r: REACH }),
      shape,
    );
  }

  open(event, id) {
    event.preventDefault();
    this.onOpen(id);
  }

  /** Show what a dot is, and what it is linked with; null shows all dots alike. */
  choose(at) {
    const shown = new Set([at]);
    this.ends.forEach(({ seed, find }, number) => {
      const isOn = seed === at || find === at;
      this.lines[number].classList.toggle("on", isOn);
      if (isOn) shown.add(seed).add(find);
    });
    this.dots.forEach((dot, number) => dot.classList.toggle("on", shown.has(number)));
    this.svg.classList.toggle("chosen", at !== null);
    this.note.textContent = at === null ? HINT : words(this.told[at]);
  }

  move(event) {
    const step = STEPS[event.key];
    const next = step && this.across[this.across.indexOf(event.currentTarget) + step];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    for (const dot of this.dots) dot.setAttribute("tabindex", dot === next ? 0 : -1);
    next.focus();
  }

  legend() {
    const kinds = Object.keys(NAMES).filter((kind) => this.ends.some((line) => line.kind === kind));
    return element(
      "ul",
      { class: "legend" },
      element("li", { class: "seed" }, "yours"),
      element("li", { class: "find" }, "found"),
      kinds.map((kind) => element("li", { class: kind }, NAMES[kind])),
    );
  }

  item({ document, told }) {
    const open = () => this.onOpen(document.id);
    const name = element("button", { type: "button", class: "lead", dir: "auto", onclick: open }, document.title || document.id);
    return element("li", {}, name, element("span", { class: "note" }, told));
  }
}

function words({ document: { title, id, year }, told }) {
  return `${(title || id).replace(/\.+$/, "")}${year ? ` (${year})` : ""}: ${told}`;
}
