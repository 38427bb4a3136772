/** The connection in words: live, polling, lost, and how old what is shown has become. */

import { retryNow } from "../core/live.js";
import { h } from "../core/render.js";
import { state } from "../core/store.js";
import { duration } from "../say/time.js";
import { mark } from "./mark.js";

const WORDS = {
  connecting: ["quiet", "Connecting"],
  live: ["good", "Live"],
  polling: ["good", "Polling"],
  lost: ["bad", "Disconnected"],
  barred: ["quiet", "Locked"],
};

/** A word in the head of the page. */
export function connectionState() {
  const [tone, word] = WORDS[state.link.how];
  return h(
    "span",
    { class: `link ${tone}`, "data-link": state.link.how, title: TITLES[state.link.how] },
    mark(tone),
    word,
  );
}

const TITLES = {
  live: "Changes are told as they happen",
  polling: "No WebSocket is to be had here: asked every 3 seconds",
};

/** The bar across the page while nobody answers; what is shown is then of the past, and says so. */
export function lostBar() {
  const { how, problem, retryAt } = state.link;
  if (how !== "lost") return null;
  const age =
    state.heardAt === null
      ? "Nothing is known yet."
      : `What you see is ${duration((Date.now() - state.heardAt) / 1000)} old.`;
  const wait = retryAt ? Math.max(0, Math.ceil((retryAt - Date.now()) / 1000)) : 0;
  // What changes every second is not read out every second.
  const counting = `${age} ${wait > 0 ? `Next attempt in ${wait} s.` : "Trying again…"}`;
  return h(
    "div.lost",
    mark("bad"),
    h("p", h("b", "Disconnected. "), `${problem ?? ""} `, h("span", { "aria-hidden": "true" }, counting)),
    h("button", { onclick: retryNow }, "Try now"),
  );
}
