/**
 * `<quota-history>`: what was left of one window over two weeks.
 *
 * `shown`: { title, points: [{ at, used }], marks: [{ at, kind: "reset" | "refusal", left }], from, to }. A
 * bar at a reset is quota that expired unused; a cross is a request that the provider refused. Where nothing
 * was read for long, the line is broken: it does not pretend.
 */

import { s } from "../core/render.js";
import { percent } from "../say/percent.js";
import { levels, timeName } from "./axis.js";
import { Drawing } from "./drawing.js";
import { readout } from "./readout.js";
import { area, line, scale, timeTicks, vertical } from "./scale.js";

const MARGIN = { top: 10, right: 8, bottom: 18, left: 30 };
const SILENCE = 6 * 3600; // seconds without a reading after which the line is broken

class QuotaHistory extends Drawing {
  summary() {
    const { title, marks } = this.shown;
    const resets = marks.filter((mark) => mark.kind === "reset");
    const wasted = resets.map((mark) => percent(mark.left)).join(", ");
    const refused = marks.length - resets.length;
    return `${title}: ${resets.length} resets, left unused: ${wasted || "nothing"}; ${refused} refusals.`;
  }

  draw(width, height) {
    const { points, marks, from, to } = this.shown;
    const x = scale(from, to, MARGIN.left, width - MARGIN.right);
    const y = scale(100, 0, MARGIN.top, height - MARGIN.bottom);
    return [
      this.#grid(x, y, width),
      stretches(points, marks).map((some) => course(some, x, y)),
      marks.map((mark) => (mark.kind === "reset" ? reset(mark, x, y) : refusal(mark, x, y))),
      readout(
        points.filter((point) => point.used != null),
        this.pointer,
        { x, y, width, now: to },
      ),
    ];
  }

  #grid(x, y, width) {
    const { from, to } = this.shown;
    const said = timeName(from, to, to);
    const tick = (at) => [
      s("path.grid", { d: vertical(x(at), y(100), y(0) + 4) }),
      x(at) < width - 40 && s("text.axis", { x: x(at) + 3, y: y(0) + 14 }, said(at)),
    ];
    const ticks = timeTicks(from, to, Math.max(2, Math.floor(width / 64)));
    return [levels([0, 100], y, width, MARGIN), ticks.map(tick)];
  }
}

function course(points, x, y) {
  const known = points.map(({ at, used }) => [x(at), y(Math.max(0, 100 - used))]);
  if (known.length === 1) return s("circle.here", { cx: known[0][0], cy: known[0][1], r: 3.5 });
  return [s("path.area", { d: area(known, y(0)) }), s("path.course", { d: line(known) })];
}

function reset({ at, left }, x, y) {
  const wasted = Math.max(0, left ?? 0);
  const place = { x: x(at) - 4, y: Math.max(y(wasted) - 2, MARGIN.top + 8), "text-anchor": "end" };
  return [
    s("path.reset", { d: vertical(x(at), y(100), y(0)) }),
    s("path.waste", { d: vertical(x(at), y(0), y(wasted)) }),
    wasted >= 1 && s("text.waste-said", place, `${Math.round(wasted)} %`),
  ];
}

const refusal = ({ at }, x, y) => s("path.refusal", { d: `M${x(at) - 3.5} ${y(0) - 8}l7 7m0 -7l-7 7` });

/** The points in unbroken runs: broken where nothing was read for long, and at each reset. */
function stretches(points, marks) {
  const resets = marks.filter((mark) => mark.kind === "reset").map((mark) => mark.at);
  const resetBetween = (a, b) => resets.some((at) => a.at < at && at <= b.at);
  const runs = [];
  let last = null;
  for (const point of points) {
    const broken = last === null || point.at - last.at > SILENCE || resetBetween(last, point);
    last = point.used == null ? null : point;
    if (last && broken) runs.push([point]);
    else if (last) runs.at(-1).push(point);
  }
  return runs;
}

customElements.define("quota-history", QuotaHistory);
