/** The buttons of an account: refresh, pause or resume, manual priority. */

import { pause, refresh, refreshableAt, resume, setPriority } from "../core/actions.js";
import { now } from "../core/clock.js";
import { h } from "../core/render.js";
import { nameOf } from "../core/fleet.js";
import { duration } from "../say/time.js";
import { priority } from "../say/words.js";

/** Refresh and pause; names of accounts are in the labels, since a list has many of these buttons. */
export function accountActions(account) {
  return h("div.actions", refreshButton(account), pauseButton(account));
}

function refreshButton(account) {
  const { polled, why_not: why } = account.polling;
  const wait = refreshableAt(account) - now();
  const possible =
    wait > 0 ? `It was read a moment ago: possible again in ${duration(wait)}` : "Read its quota now";
  return h(
    "button.plain",
    {
      title: polled ? possible : `Cannot be read: ${why ?? "it is not polled"}`,
      disabled: !polled || wait > 0,
      "aria-label": `Refresh ${nameOf(account)}`,
      onclick: () => refresh(account.id),
    },
    "Refresh",
  );
}

function pauseButton(account) {
  const [word, run] = account.paused ? ["Resume", resume] : ["Pause", pause];
  return h(
    "button",
    { class: "plain", "aria-label": `${word} ${nameOf(account)}`, onclick: () => run(account.id) },
    word,
  );
}

/** The manual priority, with its two steps. */
export function priorityField(account) {
  const step = (by) => () => setPriority(account.id, account.manual_priority + by);
  const value = account.manual_priority;
  return h(
    "div",
    { class: "stepper", role: "group", "aria-label": `Manual priority of ${nameOf(account)}` },
    h("button", { "aria-label": "Lower", onclick: step(-1) }, "−"),
    h("output", priority(value)),
    h("button", { "aria-label": "Raise", onclick: step(1) }, "+"),
    value !== 0 && h("button.plain", { onclick: () => setPriority(account.id, 0) }, "Reset to 0"),
  );
}
