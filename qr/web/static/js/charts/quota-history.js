/**
 * `<quota-history>`: what was left of one window over two weeks.
 *
 * `shown`: { name, points: [{ at, used }], marks: [{ at, kind: "reset" | "refusal", left }], from, to }.
 * A bar at a reset is quota that expired unused; a cross is a request that the provider refused. Where nothing
 * was read for long, the line is broken: it does not pretend.
 */

import { s } from "../core/render.js";
import { clock, day } from "../say/time.js";
import { left, percent, used } from "../say/percent.js";
import { windowName } from "../say/words.js";
import { Drawing } from "./drawing.js";
import { line, scale, timeTicks } from "./scale.js";

const MARGIN = { top: 10, right: 8, bottom: 18, left: 30 };
const SILENCE = 6 * 3600; // seconds without a reading after which the line is broken

class QuotaHistory extends Drawing {
  summary() {
    const { name, marks } = this.shown;
    const resets = marks.filter((mark) => mark.kind === "reset");
    const refusals = marks.length - resets.length;
    const wasted = resets.map((mark) => percent(mark.left)).join(", ");
    return `${windowName(name)}: ${resets.length} resets${wasted && `, left unused: ${wasted}`}; ${refusals} refusals.`;
  }

  draw(width, height) {
    const { from, to } = this.shown;
    const x = scale(from, to, MARGIN.left, width - MARGIN.right);
    const y = scale(100, 0, MARGIN.top, height - MARGIN.bottom);
    return [
      this.#grid(x, y, width),
      this.#areas(x, y),
      this.shown.marks.map((mark) => (mark.kind === "reset" ? this.#reset(mark, x, y) : refusal(mark, x, y))),
      this.#readout(x, y, width),
    ];
  }

  #grid(x, y, width) {
    const { from, to } = this.shown;
    const ticks = timeTicks(from, to, Math.max(2, Math.floor(width / 64)));
    const level = (at) => s("path", { class: "grid", d: line([[MARGIN.left, y(at)], [width - MARGIN.right, y(at)]]) });
    const label = (at, text) => s("text", { class: "axis", x: MARGIN.left - 6, y: y(at) + 4, "text-anchor": "end" }, text);
    return [
      level(0), level(100), label(0, "0"), label(100, "100"),
      ticks.map((at) => [
        s("path", { class: "grid", d: line([[x(at), y(100)], [x(at), y(0) + 4]]) }),
        x(at) < width - 30 && s("text", { class: "axis", x: x(at) + 3, y: y(0) + 14 }, to - from > 2 * 86400 ? day(at) : clock(at, to)),
      ]),
    ];
  }

  #areas(x, y) {
    return stretches(this.shown).map((points) => {
      const known = points.map(({ at, used: spent }) => [x(at), y(Math.max(0, 100 - spent))]);
      const ground = `${line([[known[0][0], y(0)], ...known, [known.at(-1)[0], y(0)]])}Z`;
      return [s("path", { class: "area", d: ground }), s("path", { class: "course", d: line(known) })];
    });
  }

  #reset(mark, x, y) {
    const wasted = Math.max(0, mark.left ?? 0);
    const words = wasted >= 1 && `${Math.round(wasted)}`;
    return [
      s("path", { class: "reset", d: line([[x(mark.at), y(100)], [x(mark.at), y(0)]]) }),
      s("path", { class: "waste", d: line([[x(mark.at), y(0)], [x(mark.at), y(wasted)]]) }),
      words && s("text", { class: "waste-said", x: x(mark.at) - 4, y: Math.max(y(wasted) - 2, MARGIN.top + 8), "text-anchor": "end" }, words),
    ];
  }

  #readout(x, y, width) {
    const { points, to } = this.shown;
    if (this.pointer == null || !points.length) return null;
    const near = points.reduce((a, b) => (Math.abs(x(b.at) - this.pointer) < Math.abs(x(a.at) - this.pointer) ? b : a));
    const said = `${clock(near.at, to)} · ${left(100 - near.used)} · ${used(near.used)}`;
    return [
      s("path", { class: "cross", d: line([[x(near.at), y(100)], [x(near.at), y(0)]]) }),
      s("circle", { class: "here", cx: x(near.at), cy: y(100 - near.used), r: 3.5 }),
      s("text", { class: "said", x: Math.min(x(near.at) + 6, width - 190), y: MARGIN.top + 6 }, said),
    ];
  }
}

function refusal(mark, x, y) {
  return s("path", { class: "refusal", d: `M${x(mark.at) - 3.5} ${y(0) - 8}l7 7m0 -7l-7 7` });
}

/** The points in unbroken runs: broken where nothing was read for long, and at each reset. */
function stretches({ points, marks }) {
  const resets = marks.filter((mark) => mark.kind === "reset").map((mark) => mark.at);
  const runs = [];
  for (const point of points) {
    const before = runs.at(-1)?.at(-1);
    const broken = !before || point.at - before.at > SILENCE || resets.some((at) => before.at < at && at <= point.at);
    if (broken) runs.push([point]);
    else runs.at(-1).push(point);
  }
  return runs;
}

customElements.define("quota-history", QuotaHistory);
