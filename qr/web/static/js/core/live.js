/**
 * The connection to the service: a WebSocket where one is to be had, else questions every few seconds, and
 * growing pauses when nobody answers. What it is at present stands in `state.link`.
 */

import { door, onDoor } from "./api.js";
import { place } from "./place.js";
import { keepPolling, poll } from "./polling.js";
import { openSocket } from "./socket.js";
import { setLink, state } from "./store.js";

const FIRST_PAUSE = 500; // milliseconds before the first new attempt
const LONGEST_PAUSE = 15_000; // so that a service that is back is seen within a quarter of a minute
// When a page that polls asks again whether a WebSocket is to be had, in milliseconds.
const SOCKET_AGAIN = [5_000, 15_000, 60_000];

let failures = 0;
let current = null;
let timer = null;
let socketTriedAt = 0;
let socketFailures = 0;

/** Connect, and stay connected until the door is shut; connect again when it opens. */
export function connect() {
  onDoor((barred) => (barred ? disconnect(barred) : start()));
  addEventListener("online", retryNow);
  if (door()) disconnect(door());
  else start();
}

/** Do not wait any longer. */
export function retryNow() {
  if (door()) return;
  if (timer !== null) start();
  else current?.hurry?.();
}

function disconnect(reason) {
  stop();
  setLink("barred", reason);
}

function stop() {
  clearTimeout(timer);
  timer = null;
  current?.stop();
  current = null;
}

/**
 * One plain question first: it fills the page, and tells a missing login from a service that is not there,
 * which a WebSocket that does not come about cannot.
 */
async function start() {
  stop();
  const round = (current = { stop() {} });
  try {
    await poll();
  } catch (problem) {
    if (round === current && !door()) later(problem.message);
    return;
  }
  if (round !== current) return;
  current = null;
  if (place.inHost) startPolling();
  else startSocket();
}

function startSocket() {
  socketTriedAt = Date.now();
  current = openSocket({
    heard() {
      failures = socketFailures = 0;
      if (state.link.how !== "live") setLink("live");
    },
    closed(opened, why) {
      current = null;
      if (opened) return later(why);
      socketFailures += 1;
      startPolling(); // a proxy lets no WebSocket through, or the service is just about to start
    },
  });
}

function startPolling() {
  setLink("polling");
  current = keepPolling((problem) => {
    if (problem) {
      const pause = nextPause();
      setLink("lost", problem.message, Date.now() + pause);
      return pause;
    }
    failures = 0;
    if (state.link.how !== "polling") setLink("polling");
    const pause = SOCKET_AGAIN[Math.min(socketFailures, SOCKET_AGAIN.length) - 1];
    if (!place.inHost && Date.now() - socketTriedAt > pause) start();
    return null;
  });
}

function later(why) {
  const pause = nextPause();
  setLink("lost", why, Date.now() + pause);
  timer = setTimeout(start, pause);
}

function nextPause() {
  failures += 1;
  const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(failures - 1, 10));
  return pause * (0.75 + Math.random() / 2); // fifty pages do not come back at the same moment
}
