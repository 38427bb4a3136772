/**
 * `<burn-down>`: what is left of one window, from its start to its reset, against the line of even use.
 *
 * `shown`: { window, points: [{ at, used }], from, now, dryAt }. Above the dashed line there is more left than
 * even use would leave; where the dotted line meets the ground before the reset, the window runs dry.
 */

import { s } from "../core/render.js";
import { clock, distance } from "../say/time.js";
import { left, used } from "../say/percent.js";
import { windowName } from "../say/words.js";
import { Drawing } from "./drawing.js";
import { line, scale, timeTicks } from "./scale.js";

const MARGIN = { top: 12, right: 12, bottom: 22, left: 34 };

class BurnDown extends Drawing {
  summary() {
    const { window, now, dryAt } = this.shown;
    const end = dryAt ? `At this pace it runs dry ${distance(dryAt, now)}.` : "At this pace it lasts to its reset.";
    return `${windowName(window.name)}: ${left(window.remaining_percent)}, resets ${distance(window.resets_at, now)}. ${end}`;
  }

  draw(width, height) {
    const { window, from, now } = this.shown;
    const x = scale(from, window.resets_at, MARGIN.left, width - MARGIN.right);
    const y = scale(100, 0, MARGIN.top, height - MARGIN.bottom);
    return [
      this.#grid(x, y, width),
      s("path", { class: "even-use", d: line([[x(from), y(100)], [x(window.resets_at), y(0)]]) }),
      this.#course(x, y),
      s("path", { class: "now", d: line([[x(now), y(100)], [x(now), y(0)]]) }),
      this.#readout(x, y, width),
    ];
  }

  #grid(x, y, width) {
    const { window, from, now } = this.shown;
    const levels = [0, 50, 100].map((level) => [
      s("path", { class: "grid", d: line([[MARGIN.left, y(level)], [width - MARGIN.right, y(level)]]) }),
      s("text", { class: "axis", x: MARGIN.left - 6, y: y(level) + 4, "text-anchor": "end" }, String(level)),
    ]);
    const ticks = timeTicks(from, window.resets_at, Math.max(2, Math.floor(width / 90)));
    const times = ticks.map((at) =>
      s("text", { class: "axis", x: x(at), y: y(0) + 16, "text-anchor": anchor(x(at), width) }, clock(at, now)),
    );
    return [levels, times];
  }

  #course(x, y) {
    const { window, points, now, dryAt } = this.shown;
    const place = ({ at, used: spent }) => [x(at), y(Math.max(0, 100 - spent))];
    const known = points.map(place);
    if (!known.length) return null;
    const last = known.at(-1);
    const target = dryAt ? [x(dryAt), y(0)] : [x(window.resets_at), y(this.#leftAtReset(points.at(-1), now))];
    return [
      s("path", { class: "area", d: `${line([[known[0][0], y(0)], ...known, [last[0], y(0)]])}Z` }),
      s("path", { class: "forecast", d: line([last, target]) }),
      s("path", { class: "course", d: line(known) }),
      s("circle", { class: "here", cx: last[0], cy: last[1], r: 3.5 }),
      dryAt && s("path", { class: "dry", d: `M${target[0] - 5} ${y(0) - 9}h10l-5 8z` }),
    ];
  }

  #leftAtReset(last) {
    const { window, from } = this.shown;
    const elapsed = last.at - from;
    if (elapsed <= 0) return 100 - last.used;
    return Math.max(0, 100 - (last.used * (window.resets_at - from)) / elapsed);
  }

  #readout(x, y, width) {
    const { points, now } = this.shown;
    if (this.pointer == null || !points.length) return null;
    const near = points.reduce((a, b) => (Math.abs(x(b.at) - this.pointer) < Math.abs(x(a.at) - this.pointer) ? b : a));
    const said = `${clock(near.at, now)} · ${left(100 - near.used)} · ${used(near.used)}`;
    return [
      s("path", { class: "cross", d: line([[x(near.at), y(100)], [x(near.at), y(0)]]) }),
      s("circle", { class: "here", cx: x(near.at), cy: y(100 - near.used), r: 3.5 }),
      s("text", { class: "said", x: Math.min(x(near.at) + 6, width - 170), y: MARGIN.top + 4 }, said),
    ];
  }
}

const anchor = (at, width) => (at > width - 40 ? "end" : "middle");

customElements.define("burn-down", BurnDown);
