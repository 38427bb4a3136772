/** The point nearest to the pointer, and what it says. */

import { s } from "../core/render.js";
import { left, used } from "../say/percent.js";
import { clock } from "../say/time.js";
import { vertical } from "./scale.js";

const ROOM = 190; // pixels that the words take

/**
 * What is drawn at the pointer over *points* ([{ at, used }]); null when there is none of either.
 *
 * *pointer* is its place in pixels; *now* tells which day needs no name.
 */
export function readout(points, pointer, { x, y, width, now }) {
  if (pointer === null || !points.length) return null;
  const away = (point) => Math.abs(x(point.at) - pointer);
  const near = points.reduce((a, b) => (away(b) < away(a) ? b : a));
  const said = `${clock(near.at, now)} · ${left(100 - near.used)} · ${used(near.used)}`;
  return [
    s("path.cross", { d: vertical(x(near.at), y(100), y(0)) }),
    s("circle.here", { cx: x(near.at), cy: y(100 - near.used), r: 3.5 }),
    s("text.said", { x: Math.min(x(near.at) + 6, width - ROOM), y: y(100) + 6 }, said),
  ];
}
