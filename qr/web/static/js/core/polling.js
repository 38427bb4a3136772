/** The live feed where no WebSocket exists: asks `/events` again and again, gently. */

import { door, get } from "./api.js";
import { alongside, onWish, takeAlongside } from "./answers.js";
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
 * Ask until stopped, for the first time after a pause.
 *
 * @param told called with null after an answer, with the problem after a failure; returns how long to wait.
 */
export function keepPolling(told) {
  let timer = null;
  let stopped = false;
  const gently = () => (document.hidden ? UNSEEN : SEEN);
  const round = async () => {
    let problem = null;
    try {
      await poll();
    } catch (error) {
      problem = error;
    }
    const pause = stopped || door() ? null : (told(problem) ?? gently());
    if (!stopped && pause !== null) timer = setTimeout(round, pause);
  };
  const hurry = () => {
    if (document.hidden || stopped) return;
    clearTimeout(timer);
    timer = setTimeout(round, 0);
  };
  document.addEventListener("visibilitychange", hurry);
  onWish(hurry);
  timer = setTimeout(round, gently());
  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", hurry);
    },
    hurry,
  };
}
