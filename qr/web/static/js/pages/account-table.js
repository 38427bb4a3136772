/** Many accounts as a table that sorts; a row is described anew only when something in it changed. */

import { nameOf } from "../core/fleet.js";
import { h, memo } from "../core/render.js";
import { here, route } from "../core/router.js";
import { accountActions } from "../parts/account-actions.js";
import { meter } from "../parts/meter.js";
import { time } from "../parts/time-text.js";
import { tone, windowState } from "../say/standing.js";
import { title } from "./account-card.js";

const FAR = Number.MAX_VALUE;
const find = (account, ...names) => names.map((name) => account.windows.find((one) => one.name === name)).find(Boolean);
const leftOf = (window) => window?.remaining_percent ?? FAR;
const TONES = ["bad", "warn", "away", "quiet", "good"];

const COLUMNS = {
  name: { title: "Account", by: (one) => nameOf(one.account).toLowerCase() },
  five: { title: "5 hours", by: (one) => leftOf(find(one.account, "five_hour")) },
  long: { title: "Week or month", by: (one) => leftOf(find(one.account, "weekly", "monthly")) },
  other: { title: "Model families", by: null },
  reset: { title: "Long reset", by: (one) => find(one.account, "weekly", "monthly")?.resets_at ?? FAR },
  read: { title: "Read", by: (one) => -(one.account.observed_at ?? 0) },
  sessions: { title: "Sessions", by: (one) => -one.account.sessions },
};

/** The order of a table: by state first where nobody asked for another. */
export function sorted(all, { sort, turned }) {
  const by = COLUMNS[sort]?.by ?? ((one) => TONES.indexOf(tone(one.state)));
  const sign = turned ? -1 : 1;
  const compare = (a, b) => sign * order(by(a), by(b)) || order(nameOf(a.account).toLowerCase(), nameOf(b.account).toLowerCase());
  return [...all].sort(compare);
}

const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

export function accountTable(all, now) {
  const { query } = route();
  return h("div", { class: "wide" }, h("table", { class: "accounts" },
    h("thead", {}, h("tr", {}, Object.entries(COLUMNS).map(([name, column]) => head(name, column, query)), h("th", {}, h("span", { class: "unseen" }, "Actions")))),
    h("tbody", {}, sorted(all, query).map((one) => memo(one.account.id, inputs(one, now), () => row(one, now)))),
  ));
}

function head(name, column, { sort, turned }) {
  if (!column.by) return h("th", { scope: "col" }, column.title);
  const active = sort === name;
  const next = active && !turned ? { sort: name, turned: "1" } : { sort: active ? null : name, turned: null };
  const said = active ? (turned ? "descending" : "ascending") : null;
  return h("th", { scope: "col", "aria-sort": said }, h("a", { href: here(next) }, column.title, active && h("span", { "aria-hidden": "true" }, turned ? " ↓" : " ↑")));
}

/** What a row depends on: the account itself, and what the passing of time makes of it. */
function inputs({ account, state }, now) {
  const { refresh_possible_at: possible } = account.polling;
  const wait = possible != null && possible > now;
  return [account, state, wait, route().query.open, account.windows.map((window) => windowState(window, now)).join()];
}

function row({ account, state, text }, now) {
  const [five, long] = [find(account, "five_hour"), find(account, "weekly", "monthly")];
  const others = account.windows.filter((window) => window !== five && window !== long);
  const cell = (window) => (window ? meter(account, window, now) : h("span", { class: "quiet small" }, "no such window"));
  return h("tr", { "data-account": account.id, "data-state": state, class: tone(state) },
    h("th", { scope: "row" }, title(account, state, text)),
    h("td", { class: "metered" }, cell(five)),
    h("td", { class: "metered" }, cell(long)),
    h("td", { class: "metered" }, others.map((window) => meter(account, window, now))),
    h("td", { class: "small" }, time(long?.resets_at, "clock")),
    h("td", { class: "small" }, time(account.observed_at || null, "distance", "never")),
    h("td", { class: "small number" }, String(account.sessions)),
    h("td", {}, accountActions(account)),
  );
}
