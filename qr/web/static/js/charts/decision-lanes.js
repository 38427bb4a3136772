/**
 * `<decision-lanes>`: who served when. One lane an account, one mark a decision.
 *
 * `shown`: { lanes: [{ id, name, count }], decisions: [{ number, at, lane, sort }], from, to }. The sort of
 * a decision gives its mark a shape as well as a colour. A click opens the decision (event `open`, its
 * number in `detail`); the list below the drawing does the same for the keyboard.
 */

import { s } from "../core/render.js";
import { clock } from "../say/time.js";
import { SORTS } from "../say/words.js";
import { Drawing } from "./drawing.js";
import { horizontal, scale, timeTicks } from "./scale.js";

const LANE = 24; // pixels
const AXIS = 20;
const NEAR = 12; // pixels within which the pointer finds a mark
const WORDS = 160; // pixels that the words beside a mark take
const LETTER = 7.2; // pixels of an average letter of a lane's name

const SHAPES = {
  kept: (x, y) => `M${x - 1.5} ${y - 4}h3v8h-3z`,
  bound: (x, y) => `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0`,
  failover: (x, y) => `M${x} ${y - 5}l5 9h-10z`,
  rebind: (x, y) => `M${x} ${y - 5}l5 5l-5 5l-5 -5z`,
  unhandled: (x, y) => `M${x - 3.5} ${y - 3.5}l7 7m0 -7l-7 7`,
};

class DecisionLanes extends Drawing {
  #place = () => [0, 0]; // of a decision, as it was drawn last

  connectedCallback() {
    super.connectedCallback();
    this.addEventListener("click", this.#clicked);
  }

  get height() {
    return (this.shown?.lanes.length ?? 1) * LANE + AXIS;
  }

  summary() {
    const counts = this.shown.lanes.map((lane) => `${lane.name} ${lane.count}`);
    return `Decisions by account: ${counts.join(", ")}.`;
  }

  draw(width, height) {
    const { lanes, decisions, from, to } = this.shown;
    const names = Math.min(180, width * 0.3);
    const x = scale(from, to, names + 8, width - 10);
    const rows = new Map(lanes.map((lane, at) => [lane.id, at * LANE + LANE / 2]));
    this.#place = (one) => [x(one.at), rows.get(one.lane)];
    const ticks = timeTicks(from, to, Math.max(2, Math.floor((width - names) / 80)));
    return [
      lanes.map((lane) => laneName(lane, rows.get(lane.id), names, width)),
      ticks.map((at) =>
        s(
          "text.axis",
          { x: x(at), y: height - 4, "text-anchor": x(at) > width - 30 ? "end" : "middle" },
          clock(at, to),
        ),
      ),
      decisions.map((one) => s(`path.mark.${one.sort}`, { d: SHAPES[one.sort](...this.#place(one)) })),
      this.#readout(width),
    ];
  }

  #nearest() {
    if (this.pointer === null) return null;
    let [found, least] = [null, NEAR];
    for (const one of this.shown.decisions) {
      const [x, y] = this.#place(one);
      const away = Math.abs(x - this.pointer) + Math.abs(y - this.pointerY) / 2;
      if (away < least) [found, least] = [one, away];
    }
    return found;
  }

  #readout(width) {
    const near = this.#nearest();
    this.classList.toggle("can-open", near !== null);
    if (!near) return null;
    const [x, y] = this.#place(near);
    const before = x > width - WORDS;
    return [
      s("circle.ring", { cx: x, cy: y, r: 8 }),
      s(
        "text.said",
        { x: x + (before ? -12 : 12), y: y + 4, "text-anchor": before ? "end" : "start" },
        `#${near.number} ${SORTS[near.sort]}`,
      ),
    ];
  }

  #clicked = () => {
    const near = this.#nearest();
    if (near) this.dispatchEvent(new CustomEvent("open", { detail: near.number }));
  };
}

function laneName({ name }, y, room, width) {
  return [
    s("path.grid", { d: horizontal(y, room + 8, width) }),
    s("text.lane-name", { x: 0, y: y + 4 }, fit(name, room)),
  ];
}

/** A name that fits: its middle is left out, since the names of a fleet differ at their ends. */
function fit(name, width) {
  const room = Math.floor(width / LETTER);
  if (name.length <= room) return name;
  const tail = Math.floor(room / 2) - 1;
  return `${name.slice(0, room - tail - 1)}…${name.slice(-tail)}`;
}

customElements.define("decision-lanes", DecisionLanes);
