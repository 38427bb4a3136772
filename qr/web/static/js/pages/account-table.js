/** Many accounts as a table that sorts; a row is described anew only when something in it changed. */

import { loadOf, nameOf } from "../core/fleet.js";
import { h, memo } from "../core/render.js";
import { here, route } from "../core/router.js";
import { accountActions } from "../parts/account-actions.js";
import { meter } from "../parts/meter.js";
import { time } from "../parts/time-text.js";
import { tone } from "../say/standing.js";
import { title, whatMatters } from "./account-card.js";

const FAR = Number.MAX_VALUE;
const find = (account, ...names) =>
  names.map((name) => account.windows.find((one) => one.name === name)).find(Boolean);
const leftOf = (window) => window?.remaining_percent ?? FAR;
const COLUMNS = [
  { title: "Account", sorts: { name: "name", state: "state" } },
  { title: "5 hours", sorts: { five: "left" } },
  { title: "Week or month", sorts: { long: "left", reset: "reset" } },
  { title: "Other windows", sorts: {} },
  { title: "Read", sorts: { read: "age" } },
  { title: "Sessions", sorts: { sessions: "count" } },
];

const TONES = ["bad", "warn", "away", "quiet", "good"];

const BY = {
  state: (one) => TONES.indexOf(tone(one.state)),
  name: (one) => nameOf(one.account).toLowerCase(),
  five: (one) => leftOf(find(one.account, "five_hour")),
  long: (one) => leftOf(find(one.account, "weekly", "monthly")),
  reset: (one) => find(one.account, "weekly", "monthly")?.resets_at ?? FAR,
  read: (one) => one.account.observed_at ?? 0,
  sessions: (one) => -loadOf(one.account).sessions,
};

/** The order of a table: by state first where nobody asked for another. */
export function sorted(all, { sort, turned }) {
  const by = BY[sort] ?? BY.state;
  const sign = turned ? -1 : 1;
  const compare = (a, b) =>
    sign * order(by(a), by(b)) || order(nameOf(a.account).toLowerCase(), nameOf(b.account).toLowerCase());
  return [...all].sort(compare);
}

const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

export function accountTable(all, now) {
  const { query } = route();
  return h(
    "div.wide",
    h(
      "table.accounts",
      h(
        "thead",
        h(
          "tr",
          COLUMNS.map((column) => head(column, query)),
          h("th", h("span.unseen", "Actions")),
        ),
      ),
      h(
        "tbody",
        sorted(all, query).map((one) => memo(one.account.id, whatMatters(one, now), () => row(one, now))),
      ),
    ),
  );
}

function head({ title, sorts }, { sort = "state", turned }) {
  const active = sort in sorts;
  const said = active ? (turned ? "descending" : "ascending") : null;
  return h(
    "th",
    { scope: "col", "aria-sort": said },
    title,
    Object.entries(sorts).map(([name, word]) => sortLink(title, name, word, sort, turned)),
  );
}

function sortLink(title, name, word, sort, turned) {
  const active = sort === name;
  const arrow = active ? (turned ? " ↓" : " ↑") : "";
  return h(
    "a",
    {
      key: name,
      class: "sort",
      href: here({ sort: name, turned: active && !turned ? "1" : null }),
      "aria-label": `Sort by ${title}, ${word}`,
      "aria-current": active ? "true" : null,
    },
    word + arrow,
  );
}

function row({ account, state, text }, now) {
  const [five, long] = [find(account, "five_hour"), find(account, "weekly", "monthly")];
  const others = account.windows.filter((window) => window !== five && window !== long);
  const cell = (window) => (window ? meter(account, window, now) : h("span.quiet.small", "no such window"));
  return h(
    "tr",
    { "data-account": account.id, "data-state": state, "data-tone": tone(state) },
    h("th", { scope: "row" }, title(account, state, text)),
    h("td.metered", cell(five)),
    h("td.metered", cell(long)),
    h(
      "td.metered.named",
      others.map((window) => meter(account, window, now)),
    ),
    h("td.small", time(account.observed_at || null, "both", "never")),
    h("td.small.number", String(loadOf(account).sessions)),
    h("td", accountActions(account)),
  );
}
