/**
 * One window as a bar: used solid, left quiet, a tick where even use would be by now, the reset at its end.
 */

import { opening } from "../core/router.js";
import { h } from "../core/render.js";
import { left, percent, used } from "../say/percent.js";
import { windowState } from "../say/standing.js";
import { capital } from "../say/words.js";
import { mark } from "./mark.js";
import { time } from "./time-text.js";

const TONES = {
  exhausted: "bad",
  paid: "bad",
  warned: "warn",
  stale: "stale",
  reset_pending: "stale",
  unknown: "unknown",
  ok: "ok",
};

/** The bar and what it says; a click opens where the number comes from. */
export function meter(account, window, now) {
  const state = windowState(window, now);
  return h(
    "a",
    {
      key: window.name,
      class: `meter ${TONES[state]}`,
      href: opening("window", account.id, window.name),
      "data-state": state,
    },
    h("span.meter-name", windowTitle(window)),
    h("span.meter-said", said(window, state)),
    bar(window, state, now),
    h("span.meter-end", end(window, state)),
    remark(window, state, now),
  );
}

/** "Week", "Week, Fable", "24 hours". */
export const windowTitle = (window) => capital(window.title);

function said(window, state) {
  if (window.used_percent == null) return h("span.quiet", "use unknown");
  if (state === "reset_pending") return h("span.quiet", `was ${used(window.used_percent)}`);
  // Refused all the same: what was read does not show what is left.
  if (state === "exhausted" && window.used_percent < 99)
    return h("span.quiet", `read ${used(window.used_percent)}`);
  return [
    h("b", percent(window.remaining_percent)),
    " left ",
    h("span.quiet", `· ${used(window.used_percent)}`),
  ];
}

/** The drawing alone. */
export function bar(window, state, now) {
  const even = evenUse(window, now);
  const style = {
    "--used-part": `${state === "exhausted" ? 100 : Math.min(100, window.used_percent ?? 0)}%`,
    ...(even != null && { "--even-part": `${even}%` }),
  };
  return h(
    "span",
    { class: `bar ${TONES[state]}`, style, "aria-hidden": "true" },
    h("i.fill"),
    even != null && h("i.even"),
  );
}

/** Percent that would be used by *now* if the window were used evenly; null when that is not known. */
export function evenUse({ starts_at: from, resets_at: to }, now) {
  if (from == null || to == null || now >= to || now <= from) return null;
  return Math.round(((now - from) / (to - from)) * 1000) / 10;
}

function end(window, state) {
  if (state === "exhausted") return time(window.exhausted_until);
  return time(window.resets_at, "both", window.used_percent === 0 ? "not started" : "reset unknown");
}

function remark(window, state, now) {
  const line = (tone, ...words) => h("span", { class: `meter-remark ${tone}` }, mark(tone), h("span", words));
  if (state === "exhausted") return line("bad", "spent: serves nothing until its reset");
  if (state === "paid") return line("bad", "spent: only paid credits would serve");
  if (state === "reset_pending") return line("warn", "its reset has passed and nothing was read since");
  if (state === "stale")
    return line(
      "warn",
      "read ",
      time(window.observed_at, "both", "at an unknown time"),
      ": too old to trust",
    );
  if (window.runs_dry_at != null && window.runs_dry_at > now)
    return line("warn", "at this pace dry ", time(window.runs_dry_at));
  return state === "warned" ? line("warn", "the provider warns: little is left") : null;
}

/** The same in one sentence, for a title or a label. */
export const inWords = (window) =>
  `${windowTitle(window)}: ${left(window.remaining_percent)}, ${used(window.used_percent)}`;
