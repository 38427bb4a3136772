/**
 * `<time-text at="1790000000" as="both">`: a time that keeps itself right.
 *
 * `as`: `both` ("14:20 · in 2 h 05 min"), `distance`, `clock`, `seconds` ("14:20:07 · 3 s ago").
 * Its tooltip is the whole time with its zone.
 */

import { everySecond, now } from "../core/clock.js";
import { h } from "../core/render.js";
import { clock, clockSeconds, distance, wholeTime } from "../say/time.js";

const SAID = {
  both: (at, today) => `${clock(at, today)} · ${distance(at, today)}`,
  distance,
  clock,
  seconds: (at, today) => `${clockSeconds(at, today)} · ${distance(at, today)}`,
};

class TimeText extends HTMLElement {
  static observedAttributes = ["at", "as"];
  static #all = new Set();
  static {
    everySecond(() => {
      for (const one of TimeText.#all) one.#say();
    });
  }

  connectedCallback() {
    TimeText.#all.add(this);
    this.#say();
  }

  disconnectedCallback() {
    TimeText.#all.delete(this);
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#say();
  }

  #say() {
    const at = Number(this.getAttribute("at"));
    const said = SAID[this.getAttribute("as") ?? "both"](at, now());
    if (this.textContent === said) return;
    this.textContent = said;
    this.title = wholeTime(at);
  }
}

customElements.define("time-text", TimeText);

/** A time in the page, or the words for one that is not known. */
export function time(at, as = "both", unknown = "unknown") {
  return at == null ? h("span.quiet", unknown) : h("time-text", { at, as, owns: true });
}
