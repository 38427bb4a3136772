/**
 * The course of a window's use: what the history holds, and what the page itself saw since it is open.
 */

import { answer } from "./answers.js";
import { state } from "./store.js";

const FRESH = 600; // seconds: the feed brings what is newer
const KEPT = 500; // points a window: a day of readings every three minutes

const seen = new Map(); // "account window" → [{ at, used }]

/** Note the newest reading of each window; called when accounts changed. */
export function noteReadings() {
  for (const account of state.accounts.values()) {
    for (const window of account.windows) note(`${account.id} ${window.name}`, window);
  }
}

function note(name, window) {
  if (window.used_percent == null || !window.observed_at) return;
  const points = seen.get(name) ?? [];
  if (points.at(-1)?.at >= window.observed_at) return;
  points.push({ at: window.observed_at, used: window.used_percent });
  if (points.length > KEPT) points.shift();
  seen.set(name, points);
}

/** Whether the service keeps a history, and why not: { available, why }; null while that is not known. */
export function historyKept() {
  const { value, problem } = answer("/history", {}, FRESH);
  if (problem) return { available: false, why: problem.message, series: [] };
  return value
    ? { available: value.available, why: value.why_not, series: value.series ?? [], days: value.days }
    : null;
}

/**
 * One series of the history, whole: { points, resets, refusals }; undefined while it comes. Its end is what
 * the page itself saw since; `used` is null where nothing was read for long.
 */
export function series(account, window) {
  const { value } = answer("/history", { account, window }, FRESH);
  const found = value?.series?.[0];
  if (!found) return undefined;
  const points = found.at.map((at, index) => ({ at, used: found.used_percent[index] }));
  const last = points.at(-1)?.at ?? -Infinity;
  const since = (seen.get(`${account} ${window}`) ?? []).filter((point) => point.at > last);
  return { points: [...points, ...since], resets: found.resets, refusals: found.refusals };
}

/** The known points of the window that runs now, oldest first, the last one the current reading. */
export function course(account, window, from) {
  const kept = historyKept()?.available && series(account.id, window.name)?.points;
  const points = kept || (seen.get(`${account.id} ${window.name}`) ?? []);
  return points.filter((point) => point.at >= from && point.used != null);
}
