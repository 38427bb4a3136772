/** The live feed over a WebSocket: one question, one answer, the next question. */

import { place } from "./place.js";
import { question, take } from "./store.js";

const SILENCE = 40_000; // milliseconds: the service answers every 15 s at the latest
const OPENING = 8000; // milliseconds until a connection that does not come about is given up

/**
 * Open the feed.
 *
 * @param on heard() when it opens and after each message, closed(opened, why) once at the end: whether it
 *   ever was open.
 */
export function openSocket(on) {
  const url = new URL(place.live, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const socket = new WebSocket(url);
  let opened = false;
  let ended = false;
  let timer = setTimeout(() => end(), OPENING);

  function end(why = "The connection broke.") {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    socket.close();
    on.closed(opened, why);
  }

  function ask() {
    clearTimeout(timer);
    timer = setTimeout(() => end(), SILENCE);
    socket.send(JSON.stringify(question()));
  }

  socket.onopen = () => {
    opened = true;
    on.heard();
    ask();
  };
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.kind === "closing") return end("The service stops.");
    if (message.kind === "refused") return end(message.problem?.detail);
    take(message);
    on.heard();
    ask();
  };
  socket.onclose = () => end();
  socket.onerror = () => end();
  return {
    stop: () => {
      on = { heard() {}, closed() {} };
      end();
    },
  };
}
