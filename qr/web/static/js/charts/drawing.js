/** What all drawings share: they know their width, draw on change, and say in one sentence what they show. */

import { patch, s } from "../core/render.js";

/**
 * An element that draws an SVG of its own width and of `height` pixels.
 *
 * A subclass gives `draw(width, height)`: descriptions of parts; `summary()`: the sentence for those who do
 * not see it. `pointer` and `pointerY` are the pointer's place, null when it is elsewhere.
 */
export class Drawing extends HTMLElement {
  pointer = null;
  pointerY = null;
  #width = 0;
  #queued = false;
  #sizes = new ResizeObserver(([entry]) => this.#resized(entry.contentRect.width));

  /** What is drawn; any new value draws anew. */
  #shown = null;
  get shown() {
    return this.#shown;
  }
  set shown(value) {
    this.#shown = value;
    this.redraw();
  }

  get height() {
    return Number(this.getAttribute("height") ?? 160);
  }

  connectedCallback() {
    this.#sizes.observe(this);
    this.addEventListener("pointermove", this.#moved);
    this.addEventListener("pointerleave", this.#left);
  }

  disconnectedCallback() {
    this.#sizes.disconnect();
    this.removeEventListener("pointermove", this.#moved);
    this.removeEventListener("pointerleave", this.#left);
  }

  /** Draw at the next frame; many calls draw once. */
  redraw() {
    if (this.#queued) return;
    this.#queued = true;
    requestAnimationFrame(() => {
      this.#queued = false;
      if (this.isConnected && this.#shown && this.#width > 0) this.#draw();
    });
  }

  #resized(width) {
    if (width === this.#width) return;
    this.#width = width;
    this.redraw();
  }

  #draw() {
    const [width, height] = [this.#width, this.height];
    const box = {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": this.summary(),
    };
    patch(this, [s("svg", box, this.draw(width, height))]);
  }

  #moved = (event) => {
    const box = this.getBoundingClientRect();
    this.pointer = event.clientX - box.left;
    this.pointerY = event.clientY - box.top;
    this.redraw();
  };

  #left = () => {
    this.pointer = null;
    this.redraw();
  };
}
