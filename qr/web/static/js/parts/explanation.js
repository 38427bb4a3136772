/** What was said of each candidate of a decision: its verdict, and its score in words. */

import { nameById } from "../core/fleet.js";
import { h } from "../core/render.js";
import { opening } from "../core/router.js";
import { percent } from "../say/percent.js";
import { longName } from "../say/words.js";
import { mark } from "./mark.js";
import { time } from "./time-text.js";

const TONES = {
  chosen: "good",
  outranked: "info",
  low_headroom: "warn",
  warned: "warn",
  stale: "warn",
  reset_pending: "warn",
  unknown: "quiet",
  not_offered: "away",
  paused: "away",
  disabled: "away",
};

/** The candidates in the order in which they were ranked. */
export function explanation(explained, all = explained) {
  const telling = tellingParts(all);
  return h(
    "ol.explained",
    explained.map((one) =>
      h(
        "li",
        { key: one.account, class: one.chosen ? "chosen" : "", "data-verdict": one.verdict },
        h(
          "p.verdict",
          mark(TONES[one.verdict] ?? "bad"),
          h(
            "span",
            h("a", { href: opening("account", one.account) }, nameById(one.account, one.label)),
            one.home && h("span.tag", "the session's own account"),
            h("span", { class: one.chosen ? "good strong" : "" }, one.chosen ? "chosen" : one.verdict_text),
          ),
        ),
        one.parts && h("p.score.small.quiet", score(one.parts, telling)),
      ),
    ),
  );
}

const LAYERS = ["warned", "host_priority", "manual_priority"];

/** The layers in which the candidates differ: one that is the same for all decided nothing. */
function tellingParts(all) {
  return new Set(LAYERS.filter((layer) => new Set(all.map((one) => one.parts?.[layer])).size > 1));
}

/** The parts of a score, in the order in which the ranking asks for them. */
function score(parts, telling) {
  return [
    h(
      "span",
      parts.headroom_percent == null
        ? "room unknown"
        : `${percent(parts.headroom_percent)} left where it is tightest`,
    ),
    telling.has("warned") && h("span", parts.warned ? "warned" : "not warned"),
    telling.has("host_priority") && h("span", `host priority ${parts.host_priority}`),
    telling.has("manual_priority") && h("span", `manual priority ${parts.manual_priority}`),
    h("span", policyWords(parts)),
    parts.reserved_percent > 0 &&
      h("span", `${percent(parts.reserved_percent)} set aside for sessions bound just before`),
  ];
}

function policyWords({
  long_window: long,
  long_remaining_percent: remaining,
  long_resets_at: resets,
  policy_text: text,
}) {
  if (!long) return text || "no long window known";
  return [
    text && `${text}: `,
    `${longName(long)} ${percent(remaining)} left, resets `,
    time(resets, "both", "at an unknown time"),
  ];
}
