// Filter, sort and unfold the table of documents; without this the page is whole, only less handy.
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
