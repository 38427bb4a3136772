/** What a chart of percents over time says at its edges. */

import { s } from "../core/render.js";
import { clock, day } from "../say/time.js";
import { horizontal } from "./scale.js";

const LONG = 2 * 86_400; // seconds beyond which an axis names days

/** Lines across at these *percents*, between the margins *left* and *right* of a drawing, and their names. */
export const levels = (percents, y, width, { left, right }) =>
  percents.map((at) => [
    s("path.grid", { d: horizontal(y(at), left, width - right) }),
    s("text.axis", { x: left - 6, y: y(at) + 4, "text-anchor": "end" }, String(at)),
  ]);

/** How an axis from *from* to *to* names a time: by its day, or by the clock as it is said at *now*. */
export const timeName = (from, to, now) => (to - from > LONG ? day : (at) => clock(at, now));
