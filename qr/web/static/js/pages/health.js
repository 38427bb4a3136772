/** Health: the service itself. */

import { answer } from "../core/answers.js";
import { h } from "../core/render.js";
import { awaited } from "../parts/empty.js";
import { mark } from "../parts/mark.js";
import { duration } from "../say/time.js";
import { actors, mailboxes } from "./health-actors.js";
import { host, limits, pace, persistence, picks, versions } from "./health-facts.js";

const CARDS = {
  Host: host,
  Persistence: persistence,
  Picks: picks,
  Actors: actors,
  Mailboxes: mailboxes,
  Pace: pace,
  Versions: versions,
  "Limits that stay": limits,
};

export const health = {
  title: "Health",
  view({ now }) {
    const asked = answer("/health", {}, 5);
    const { value } = asked;
    return [
      h(
        "div.page-head",
        { key: "head" },
        h("h1", "Health"),
        value && h("p.quiet", `Running for ${duration(now - value.started_at)}`),
      ),
      awaited(asked, "The health") ??
        h(
          "div.facts",
          Object.entries(CARDS).map(([title, facts]) => card(title, facts(value))),
        ),
    ];
  },
};

/** A card: whether all is well with its subject, its title, what is known. */
function card(title, { tone, body }) {
  return h(
    "section.card",
    { key: title, "data-card": title, "data-tone": tone },
    h("header", h("h2", mark(tone), " ", title)),
    body,
  );
}
