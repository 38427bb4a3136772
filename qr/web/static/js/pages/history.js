/** History: two weeks of each window, with what was lost at its resets and where the provider refused. */

import { historyKept, series } from "../core/courses.js";
import { longWindow, nameById } from "../core/fleet.js";
import { h } from "../core/render.js";
import { adjust, here, opening } from "../core/router.js";
import { state } from "../core/store.js";
import { empty } from "../parts/empty.js";
import { choices, filterField } from "../parts/filters.js";
import { percent } from "../say/percent.js";
import { capital } from "../say/words.js";
import "../charts/quota-history.js";

const AT_ONCE = 40; // charts on one page; the filter finds the others
const HOUR = 3600;
const DAY = 24 * HOUR;
const SPANS = {
  [HOUR]: { title: "1 hour" },
  [DAY]: { title: "1 day" },
  [7 * DAY]: { title: "1 week" },
  [14 * DAY]: { title: "2 weeks" },
};
const WHICH = { long: { title: "Long windows" }, all: { title: "All windows" } };

export const history = {
  title: "History",
  view({ query, now }) {
    const kept = historyKept();
    if (kept === null)
      return [head(query), empty({ title: "", text: "Asking for the history…", busy: true })];
    if (!kept.available)
      return [
        head(query),
        empty({ title: "No history", text: capital(kept.why ?? "it is not recorded") + "." }),
      ];
    const all = kept.series.filter((one) => fits(one, query));
    if (!all.length) return [head(query), nothing(kept)];
    const shown = all.slice(0, AT_ONCE);
    const span = query.span in SPANS ? query.span : filled(shown, now);
    return [
      head(query, span),
      legend(),
      h(
        "div.histories",
        shown.map((one) => chart(one, now - Number(span), now)),
      ),
      all.length > AT_ONCE && h("p.quiet", `${all.length - AT_ONCE} more: narrow the filter to see them.`),
    ];
  },
};

function nothing({ series: some }) {
  const text = some.length
    ? "No series fits this filter."
    : "It is recorded from now on: come back after the first readings.";
  return empty({ title: "Nothing to show", text });
}

/** The shortest span that holds all that was recorded: a service that has just begun shows no void. */
function filled(all, now) {
  const first = all.map((one) => series(one.account, one.window)?.points[0]?.at ?? now);
  const age = now - Math.min(...first);
  return Object.keys(SPANS).find((span) => age < Number(span)) ?? String(14 * DAY);
}

function head(query, span = null) {
  return h(
    "div.page-head",
    { key: "head" },
    h("h1", "History"),
    h("p.quiet", "% left over time"),
    h(
      "div.tools",
      filterField("Find an account", query.q, (q) => adjust({ q })),
      choices("Windows", WHICH, query.which ?? "long", (which) => here({ which })),
      span && choices("How far back", SPANS, span, (one) => here({ span: one })),
    ),
  );
}

function fits(one, { q = "", which = "long" }) {
  const account = state.accounts.get(one.account);
  const long = account ? longWindow(account)?.name : "weekly";
  return (
    (which === "all" || one.window === long) &&
    `${nameById(one.account, one.account_label)} ${one.account}`.toLowerCase().includes(q.toLowerCase())
  );
}

const legend = () =>
  h(
    "ul.legend.small",
    { key: "legend" },
    h("li", h("i.key.course"), "left"),
    h("li", h("i.key.waste"), "expired unused at a reset"),
    h("li", h("i.key.refusal"), "a request was refused"),
  );

function chart(one, from, to) {
  const found = series(one.account, one.window);
  const inside = ({ at }) => at >= from;
  return h(
    "section",
    { key: `${one.account} ${one.window}`, class: "card history" },
    h(
      "header",
      h(
        "h2",
        h(
          "a",
          { href: opening("window", one.account, one.window) },
          nameById(one.account, one.account_label),
        ),
        h("span.quiet", ` · ${one.title}`),
      ),
      found && h("p.small.quiet", waste(found, inside)),
    ),
    found
      ? h("quota-history", {
          owns: true,
          height: 130,
          ".shown": {
            title: one.title,
            points: found.points.filter(inside),
            marks: marks(found).filter(inside),
            from,
            to,
          },
        })
      : h("div.placeholder", { "aria-busy": "true" }),
  );
}

const marks = ({ resets, refusals }) => [
  ...resets.map((one) => ({ at: one.at, kind: "reset", left: one.unused_percent })),
  ...refusals.map((one) => ({ at: one.at, kind: "refusal" })),
];

function waste({ resets, refusals }, inside) {
  const shown = resets.filter(inside);
  const refused = refusals.filter(inside).length;
  const mean = shown.length && shown.reduce((sum, one) => sum + (one.unused_percent ?? 0), 0) / shown.length;
  const lost = shown.length
    ? `${shown.length} ${shown.length === 1 ? "reset" : "resets"}, ${percent(mean)} expired unused on average`
    : "no reset";
  return `${lost}; ${refused === 0 ? "nothing refused" : `${refused} refused`}`;
}
