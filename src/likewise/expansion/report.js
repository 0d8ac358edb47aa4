// Filter, sort and unfold the table of documents; the page also works without it.
(() => {
  "use strict";
  const table = document.getElementById("documents");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const find = (id) => document.getElementById(id);
  const [box, shown, none, abstracts] = ["filter", "shown", "none", "abstracts"].map(find);
  const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const number = (count) => count.toLocaleString("en");
  const order = new Intl.Collator("en", { numeric: true });
  let texts;

  function filter() {
    texts ??= rows.map((row) => plain(row.textContent));
    const words = plain(box.value).split(/\s+/).filter(Boolean);
    let count = 0;
    rows.forEach((row, place) => {
      row.hidden = !words.every((word) => texts[place].includes(word));
      count += row.hidden ? 0 : 1;
    });
    shown.value = words.length ? `${number(count)} of ${number(rows.length)}` : number(rows.length);
    none.hidden = count > 0;
  }

  function sortBy(heading) {
    const column = heading.cellIndex;
    const down = heading.getAttribute("aria-sort") === "ascending";
    const key = (row) => row.cells[column].textContent.trim();
    const keyed = rows.map((row) => [key(row), row]);
    // Rows without a year stay last, whichever way the others go.
    keyed.sort(([a], [b]) => !a - !b || (down ? -1 : 1) * order.compare(a, b));
    body.append(...keyed.map(([, row]) => row));
    for (const other of heading.parentNode.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
  }

  find("tools").hidden = false;
  shown.value = number(rows.length);
  box.addEventListener("input", filter);
  abstracts.addEventListener("change", () => {
    for (const one of body.querySelectorAll("details")) one.open = abstracts.checked;
  });
  for (const button of table.tHead.querySelectorAll("button")) {
    button.disabled = false;
    button.addEventListener("click", () => sortBy(button.parentNode));
  }
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input, textarea");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      box.focus();
    }
  });
  if (box.value) filter();
})();

// The map of citations: point at a paper, or move with arrow keys, to see what it is linked with.
(() => {
  "use strict";
  const map = document.getElementById("map");
  if (!map) return;
  const drawing = map.querySelector("svg");
  const [dots, links] = [[...map.querySelectorAll(".dot")], [...map.querySelectorAll(".link")]];
  const told = document.getElementById("map-told");
  const hint = told.textContent;
  const across = dots.toSorted((a, b) => place(a) - place(b));

  function place(dot) {
    return Number(dot.querySelector(".reach").getAttribute("cx"));
  }

  function choose(dot) {
    const shown = new Set([dot?.dataset.dot]);
    for (const link of links) {
      const ends = link.dataset.ends.split(" ");
      const isOn = ends.includes(dot?.dataset.dot);
      link.classList.toggle("on", isOn);
      if (isOn) ends.forEach((end) => shown.add(end));
    }
    for (const one of dots) one.classList.toggle("on", shown.has(one.dataset.dot));
    drawing.classList.toggle("chosen", Boolean(dot));
    told.textContent = dot ? dot.querySelector("title").textContent : hint;
  }

  function move(event) {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const next = step && across[across.indexOf(event.target) + step];
    if (!next) return;
    event.preventDefault();
    for (const dot of dots) dot.setAttribute("tabindex", dot === next ? 0 : -1);
    next.focus();
  }

  for (const dot of dots) {
    dot.addEventListener("pointerenter", () => choose(dot));
    dot.addEventListener("pointerleave", () => choose(null));
    dot.addEventListener("focus", () => choose(dot));
    dot.addEventListener("blur", () => choose(null));
    dot.addEventListener("keydown", move);
  }
  // A target in a folded list is unfolded first.
  const unfold = () => {
    const aim = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    const folded = aim && aim.closest("details:not([open])");
    if (folded) {
      folded.open = true;
      aim.scrollIntoView();
    }
  };
  addEventListener("hashchange", unfold);
  map.addEventListener("click", () => setTimeout(unfold));
})();
