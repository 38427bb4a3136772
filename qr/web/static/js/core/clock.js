/**
 * The service's time, and the one heartbeat of the page.
 *
 * Ages and countdowns are told by the service's clock, not by the browser's: a laptop whose clock is wrong
 * must not show old data as fresh.
 */

const HEARTBEAT = 1000; // milliseconds: countdowns show seconds
let ahead = 0; // seconds by which the service's clock is ahead of the browser's
const listeners = new Set();

/** Epoch seconds on the service's clock. */
export const now = () => Date.now() / 1000 + ahead;

/** Learn the service's time from an answer that tells it. */
export function learnTime(at) {
  if (Number.isFinite(at)) ahead = at - Date.now() / 1000;
}

/** Have *listener* called every second; returns how to stop it. */
export function everySecond(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

setInterval(() => {
  if (document.hidden) return; // nobody looks; the first beat after that catches up
  for (const listener of listeners) listener();
}, HEARTBEAT);

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) for (const listener of listeners) listener();
});
