/** From values to places on a drawing, and the times that an axis names. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY];

/** A function that maps *from*…*to* onto *low*…*high*. */
export function scale(from, to, low, high) {
  const span = to - from || 1;
  return (value) => Math.round((low + ((value - from) / span) * (high - low)) * 10) / 10;
}

/** Round local times between *from* and *to*, at most *count* of them. */
export function timeTicks(from, to, count) {
  const step = STEPS.find((length) => (to - from) / length <= count) ?? STEPS.at(-1);
  return step < DAY ? clockTicks(from, to, step) : dayTicks(from, to, step / DAY);
}

function clockTicks(from, to, step) {
  // Steps of hours are counted from local midnight, which is no multiple of an hour everywhere.
  const midnight = new Date(from * 1000).setHours(0, 0, 0, 0) / 1000;
  const ticks = [];
  for (let at = midnight + Math.ceil((from - midnight) / step) * step; at <= to; at += step) ticks.push(at);
  return ticks;
}

function dayTicks(from, to, days) {
  const at = new Date(from * 1000);
  at.setHours(24, 0, 0, 0);
  const ticks = [];
  for (; at / 1000 <= to; at.setDate(at.getDate() + days)) ticks.push(at / 1000);
  return ticks;
}

/** The `d` of a line through *points* ([x, y]); null breaks it. */
export function line(points) {
  let drawn = "";
  let pen = "M";
  for (const point of points) {
    if (point) drawn += `${pen}${point[0]} ${point[1]}`;
    pen = point ? "L" : "M";
  }
  return drawn;
}

/** The `d` of what lies between a line and the ground. */
export const area = (points, ground) =>
  `${line([[points[0][0], ground], ...points, [points.at(-1)[0], ground]])}Z`;

/** The `d` of a line across, and of one from top to bottom. */
export const horizontal = (y, from, to) => `M${from} ${y}H${to}`;
export const vertical = (x, from, to) => `M${x} ${from}V${to}`;
