/** Where a number comes from: a window's readings, what else the provider said, and their age. */

import { longWindow, nameOf } from "../core/fleet.js";
import { h } from "../core/render.js";
import { opening } from "../core/router.js";
import { state } from "../core/store.js";
import { exactPercent, percent } from "../say/percent.js";
import { duration } from "../say/time.js";
import { windowState } from "../say/standing.js";
import { source, status } from "../say/words.js";
import { burn } from "./burn.js";
import { empty } from "./empty.js";
import { evidence } from "./evidence.js";
import { listing } from "./listing.js";
import { bar, evenUse, windowTitle } from "./meter.js";
import { time } from "./time-text.js";

export function windowPanel(id, name, now) {
  const account = state.accounts.get(id);
  const window = account?.windows.find((one) => one.name === name);
  if (!window)
    return {
      title: "No such window",
      body: empty({ title: "", text: "The account or the window is gone." }),
    };
  return {
    title: `${windowTitle(window)} of ${nameOf(account)}`,
    sub: h("a", { href: opening("account", id) }, "all of this account"),
    body: [
      headline(window, now),
      burn(account, window, now, 180),
      known(account, window, now),
      evidence(id, name),
    ],
  };
}

function headline(window, now) {
  const held = windowState(window, now);
  return h(
    "div.summary",
    { key: "headline" },
    h(
      "p",
      h("b.big", percent(window.remaining_percent)),
      " left",
      h("span.quiet", ` · ${percent(window.used_percent)} used`),
    ),
    bar(window, held, now),
  );
}

function known(account, window, now) {
  const age = window.age_seconds == null ? "of an unknown age" : null;
  return h(
    "section",
    { key: "known" },
    h("h3", "What is believed"),
    listing(
      [
        ["Used", usedWords(window, now)],
        ["Read", [time(window.observed_at || null, "seconds", "never"), age && ` (${age})`]],
        ["Percent from", source(window.source)],
        ["Resets", time(window.resets_at, "both", "not told, or the window has not started")],
        [
          "Runs dry",
          window.runs_dry_at
            ? [time(window.runs_dry_at), ", at its average pace so far"]
            : "not before its reset, at its average pace so far",
        ],
        ["Provider says", status(window.status)],
        [
          "Warning mark",
          window.warned ? ["until ", time(window.warned_until, "both", "further notice")] : "none",
        ],
        [
          "Spent",
          window.exhausted
            ? ["until ", time(window.exhausted_until, "both", "the next reading")]
            : "not confirmed",
        ],
        ["Trusted", trust(window, now)],
        ["Length", window.length_seconds ? duration(window.length_seconds) : "unknown"],
        !window.limits && ["Limits", "nothing: a window of this length is only shown"],
        longWindow(account) === window && ["Ranking", "this is the window that accounts are ranked by"],
      ].filter(Boolean),
    ),
  );
}

function usedWords(window, now) {
  const even = evenUse(window, now);
  return (
    exactPercent(window.used_percent) +
    (even == null ? "" : `; evenly used it would be ${exactPercent(even)}`)
  );
}

function trust(window, now) {
  const held = windowState(window, now);
  if (held === "stale") return "no: it is too old; a new reading is awaited";
  if (held === "reset_pending") return "no: its reset has passed, and it is not assumed to be full again";
  if (held === "unknown") return "no: no percent was read";
  return ["yes, until it is stale ", time(window.stale_at, "both", "at an unknown time")];
}
