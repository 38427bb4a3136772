/**
 * `<decision-lanes>`: who served when. One lane an account, one mark a decision.
 *
 * `shown`: { lanes: [{ id, name }], decisions: [{ number, at, lane, sort }], from, to }. The sort of a decision
 * gives its mark a shape as well as a colour. A click opens the decision (event `open`, detail: its number).
 */

import { s } from "../core/render.js";
import { clock } from "../say/time.js";
import { SORTS } from "../say/words.js";
import { Drawing } from "./drawing.js";
import { line, scale, timeTicks } from "./scale.js";

const LANE = 24; // pixels
const AXIS = 20;
const NEAR = 12; // pixels within which the pointer finds a mark

const SHAPES = {
  kept: (x, y) => `M${x - 1.5} ${y - 4}h3v8h-3z`,
  bound: (x, y) => `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0`,
  failover: (x, y) => `M${x} ${y - 5}l5 9h-10z`,
  rebind: (x, y) => `M${x} ${y - 5}l5 5l-5 5l-5 -5z`,
  unhandled: (x, y) => `M${x - 3.5} ${y - 3.5}l7 7m0 -7l-7 7`,
};

class DecisionLanes extends Drawing {
  connectedCallback() {
    super.connectedCallback();
    this.addEventListener("click", this.#clicked);
  }

  get height() {
    return (this.shown?.lanes.length ?? 1) * LANE + AXIS;
  }

  summary() {
    const { lanes, decisions } = this.shown;
    const counts = lanes.map((lane) => `${lane.name} ${decisions.filter((one) => one.lane === lane.id).length}`);
    return `Decisions by account: ${counts.join(", ")}.`;
  }

  draw(width, height) {
    const { lanes, decisions, from, to } = this.shown;
    const names = Math.min(180, width * 0.3);
    const x = (this.x = scale(from, to, names + 8, width - 10));
    const row = new Map(lanes.map((lane, at) => [lane.id, at * LANE + LANE / 2]));
    this.row = row;
    const ticks = timeTicks(from, to, Math.max(2, Math.floor((width - names) / 80)));
    return [
      lanes.map((lane) => [
        s("path", { class: "grid", d: line([[names + 8, row.get(lane.id)], [width, row.get(lane.id)]]) }),
        s("text", { class: "lane-name", x: 0, y: row.get(lane.id) + 4 }, fit(lane.name, names)),
      ]),
      ticks.map((at) => s("text", { class: "axis", x: x(at), y: height - 4, "text-anchor": x(at) > width - 30 ? "end" : "middle" }, clock(at, to))),
      decisions.map((one) => s("path", { class: `mark ${one.sort}`, d: SHAPES[one.sort](x(one.at), row.get(one.lane)) })),
      this.#readout(width),
    ];
  }

  #nearest() {
    if (this.pointer == null || !this.row) return null;
    const away = (one) => Math.abs(this.x(one.at) - this.pointer) + Math.abs(this.row.get(one.lane) - this.pointerY) / 2;
    const found = this.shown.decisions.reduce((a, b) => (a && away(a) <= away(b) ? a : b), null);
    return found && away(found) < NEAR ? found : null;
  }

  #readout(width) {
    const near = this.#nearest();
    this.classList.toggle("can-open", near != null);
    if (!near) return null;
    const [x, y] = [this.x(near.at), this.row.get(near.lane)];
    const said = `#${near.number} ${SORTS[near.sort]}`;
    const end = x > width - 160;
    return [
      s("circle", { class: "ring", cx: x, cy: y, r: 8 }),
      s("text", { class: "said", x: x + (end ? -12 : 12), y: y + 4, "text-anchor": end ? "end" : "start" }, said),
    ];
  }

  #clicked = () => {
    const near = this.#nearest();
    if (near) this.dispatchEvent(new CustomEvent("open", { detail: near.number }));
  };
}

/** A name that fits: the middle is left out, since ids of a fleet differ at their ends. */
function fit(name, width) {
  const room = Math.floor(width / 7.2);
  if (name.length <= room) return name;
  const tail = Math.floor(room / 2) - 1;
  return `${name.slice(0, room - tail - 1)}…${name.slice(-tail)}`;
}

customElements.define("decision-lanes", DecisionLanes);
