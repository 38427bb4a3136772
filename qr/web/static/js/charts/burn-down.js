/**
 * `<burn-down>`: what is left of one window, from its start to its reset, against the line of even use.
 *
 * `shown`: { window, points: [{ at, used }], from, now, dryAt }. Above the dashed line there is more left
 * than even use would leave; where the dotted line meets the ground before the reset, the window runs dry.
 */

import { s } from "../core/render.js";
import { left } from "../say/percent.js";
import { distance } from "../say/time.js";
import { levels, timeName } from "./axis.js";
import { Drawing } from "./drawing.js";
import { readout } from "./readout.js";
import { area, line, scale, timeTicks, vertical } from "./scale.js";

const MARGIN = { top: 12, right: 12, bottom: 22, left: 34 };

class BurnDown extends Drawing {
  summary() {
    const { window, now, dryAt } = this.shown;
    const end = dryAt ? `runs dry ${distance(dryAt, now)}` : "lasts to its reset";
    const resets = distance(window.resets_at, now);
    return `${window.title}: ${left(window.remaining_percent)}, resets ${resets}. At this pace it ${end}.`;
  }

  draw(width, height) {
    const { window, points, from, now } = this.shown;
    const x = scale(from, window.resets_at, MARGIN.left, width - MARGIN.right);
    const y = scale(100, 0, MARGIN.top, height - MARGIN.bottom);
    const course = points.map((point) => [x(point.at), y(leftAt(point))]);
    return [
      this.#grid(x, y, width),
      course.length > 1 && s("path.area", { d: area(course, y(0)) }),
      s("path.even-use", { d: `M${x(from)} ${y(100)}L${x(window.resets_at)} ${y(0)}` }),
      course.length > 0 && this.#course(course, x, y),
      s("path.now", { d: vertical(x(now), y(100), y(0)) }),
      readout(points, this.pointer, { x, y, width, now }),
    ];
  }

  #grid(x, y, width) {
    const { window, from, now } = this.shown;
    const said = timeName(from, window.resets_at, now);
    const ticks = timeTicks(from, window.resets_at, Math.max(3, Math.floor(width / 84)));
    const tick = (at) =>
      s("text.axis", { x: x(at), y: y(0) + 16, "text-anchor": anchor(x(at), width) }, said(at));
    return [levels([0, 50, 100], y, width, MARGIN), ticks.map(tick)];
  }

  #course(course, x, y) {
    const { window, points, from, dryAt } = this.shown;
    const [first, last] = [course[0], course.at(-1)];
    const end = dryAt ? [x(dryAt), y(0)] : [x(window.resets_at), y(this.#leftAtReset(points.at(-1)))];
    // What came before the first point was not recorded: it is dotted, as what is only reckoned.
    const untold = points[0].at > from ? [[x(from), y(100)], first, null] : [];
    return [
      s("path.forecast", { d: line([...untold, last, end]) }),
      s("path.course", { d: line(course) }),
      s("circle.here", { cx: last[0], cy: last[1], r: 3.5 }),
      dryAt && s("path.dry", { d: `M${end[0] - 5} ${y(0) - 9}h10l-5 8z` }),
    ];
  }

  /** If it goes on at the average pace so far. */
  #leftAtReset(last) {
    const { window, from } = this.shown;
    const elapsed = last.at - from;
    return elapsed > 0 ? Math.max(0, 100 - (last.used * (window.resets_at - from)) / elapsed) : leftAt(last);
  }
}

const leftAt = ({ used }) => Math.max(0, 100 - used);

const anchor = (at, width) => (at > width - 40 ? "end" : "middle");

customElements.define("burn-down", BurnDown);
