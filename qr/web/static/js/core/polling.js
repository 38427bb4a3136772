/** The live feed where no WebSocket exists: asks `/events` again and again, gently. */

import { door, get } from "./api.js";
import { alongside, takeAlongside } from "./answers.js";
import { place } from "./place.js";
import { question, take } from "./store.js";

const SEEN = 3000; // milliseconds between questions while somebody looks
const UNSEEN = 30_000; // …and while nobody does

/** Ask once, and again at once while there is more; returns when all is told. */
export async function poll() {
  let more = true;
  while (more) {
    const carried = place.inHost ? alongside().join(",") : "";
    const message = await get("/events", { ...question(), with: carried });
    more = take(message);
    takeAlongside(message);
  }
}

/**
 * Ask until stopped.
 *
 * @param told called with null after an answer, with the problem after a failure; returns how long to wait.
 */
export function keepPolling(told) {
  let timer = null;
  let stopped = false;
  const round = async () => {
    let problem = null;
    try {
      await poll();
    } catch (error) {
      problem = error;
    }
    if (stopped || door()) return;
    const pause = told(problem) ?? (document.hidden ? UNSEEN : SEEN);
    timer = setTimeout(round, pause);
  };
  const hurry = () => {
    if (document.hidden || stopped || timer === null) return;
    clearTimeout(timer);
    timer = setTimeout(round, 0);
  };
  document.addEventListener("visibilitychange", hurry);
  round();
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", hurry);
    },
    hurry,
  };
}
