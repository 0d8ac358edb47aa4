// Drags the line: it snaps between documents, and the window scrolls along at its edges.

const EDGE = 70;
const SPEED = 14;

/** Let a line be dragged by its slider. */
export function dragging(line) {
  line.slider.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    line.slider.focus({ preventScroll: true });
    new Drag(line, event);
  });
}

class Drag {
  constructor(line, event) {
    this.line = line;
    this.y = event.clientY;
    this.from = line.rank;
    line.isDragged = line.isMoving = line.pages.isHeld = true;
    line.node.classList.add("dragged");
    line.slider.setPointerCapture(event.pointerId);
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    line.slider.addEventListener("pointermove", ({ clientY }) => (this.y = clientY), { signal });
    line.slider.addEventListener("pointerup", () => this.end(line.rank), { signal });
    line.slider.addEventListener("pointercancel", () => this.end(this.from), { signal });
    addEventListener("keydown", (pressed) => pressed.key === "Escape" && this.end(this.from), { signal });
    this.frame = requestAnimationFrame(() => this.step());
  }

  step() {
    const past = Math.max(0, EDGE - this.y + 60) - Math.max(0, EDGE - (innerHeight - this.y));
    if (past) scrollBy({ top: (-past / EDGE) * SPEED, behavior: "instant" });
    this.snap();
    this.frame = requestAnimationFrame(() => this.step());
  }

  /** Find the documents between which the pointer is, and show the line there. */
  snap() {
    const { items, before } = this.line.pages;
    const ranked = items.filter(({ entry }) => entry.rank !== null);
    const below = ranked.findIndex(({ node }) => middle(node) > this.y);
    const above = below < 0 ? ranked.at(-1) : ranked[below - 1];
    // Above the first document shown, the line is below the one before it, or above all.
    const rank = above?.entry.rank ?? (before ? ranked[0].entry.rank - 1 : 0);
    if (rank !== this.line.rank) this.line.move(rank, { isFinal: false });
    const { node } = this.line;
    const border = below < 0 ? place(ranked.at(-1)?.node ?? node).bottom : place(ranked[below].node).top;
    node.style.transform = "";
    const own = place(node);
    node.style.transform = `translateY(${border - own.top - own.height / 2}px)`;
  }

  end(rank) {
    this.listeners.abort();
    cancelAnimationFrame(this.frame);
    this.line.node.classList.remove("dragged");
    this.line.node.style.transform = "";
    this.line.isDragged = this.line.pages.isHeld = false;
    if (rank === this.from) {
      this.line.rank = rank;
      this.line.isMoving = false;
      this.line.show();
    } else {
      this.line.move(rank);
    }
  }
}

const place = (node) => node.getBoundingClientRect();

const middle = (node) => place(node).top + place(node).height / 2;
