/** Sessions: which agent thread is kept on which account. */

import { answer } from "../core/answers.js";
import { get } from "../core/api.js";
import { nameById } from "../core/fleet.js";
import { h } from "../core/render.js";
import { here, href } from "../core/router.js";
import { changed, state } from "../core/store.js";
import { awaited } from "../parts/empty.js";
import { accountChoice } from "../parts/filters.js";
import { shares } from "../parts/shares.js";
import { sessionList } from "./session-list.js";

const PAGE = 100;
const BUSIEST = 12; // accounts whose share is drawn

let older = { of: "", sessions: [], next: undefined }; // what "Show older" brought, and for which filter

export const sessions = {
  title: "Sessions",
  view({ query: { account, provider } }) {
    const asked = answer("/sessions", { account, provider, limit: PAGE }, 30);
    const filter = { account, provider };
    return [head(asked.value, account), awaited(asked, "The sessions") ?? body(asked.value, filter)];
  },
};

const body = (value, filter) => [
  spread(value.accounts, filter.account),
  sessionList(known(value, filter), filter),
  more(value, filter),
  limits(),
];

/** What a user would wonder about: it is not ours to change. */
const limits = () =>
  h(
    "p.small.quiet.footnote",
    "A session that only the body of its requests names is not seen here, ",
    "and a WebSocket stays on the account that the host gave it. ",
    h("a", { href: href("health") }, "Limits that stay"),
  );

function head(value, account) {
  const matching = value && value.matching !== value.total ? `, ${value.matching} of them here` : "";
  return h(
    "div.page-head",
    { key: "head" },
    h("h1", "Sessions"),
    value &&
      h(
        "p.quiet",
        `${value.total} bound${matching}`,
        value.shadow && " by shadow mode, forgotten when the mode changes",
      ),
    h("div.tools", accountChoice(account)),
  );
}

/** How the sessions are spread over the accounts; each part is a filter. */
function spread(accounts, current) {
  const all = Object.entries(accounts)
    .sort((a, b) => b[1] - a[1])
    .slice(0, BUSIEST);
  const link = (id) =>
    h(
      "a",
      { href: here({ account: current === id ? null : id }), "aria-current": current === id ? "true" : null },
      nameById(id),
    );
  return all.length > 1 && shares(all.map(([id, count]) => [link(id), count]));
}

/** What was asked for, with the newest word of the live feed on each, the most recently used first. */
function known(value, filter) {
  const extra = older.of === JSON.stringify(filter) ? older.sessions : [];
  const all = new Map([...value.sessions, ...extra].map((one) => [`${one.provider}:${one.key}`, one]));
  for (const [key, binding] of state.bindings) {
    if (binding && fits(binding, filter)) all.set(key, binding);
    else all.delete(key);
  }
  return [...all.values()].sort((a, b) => b.used_at - a.used_at);
}

const fits = (one, { account, provider }) =>
  (!account || account === one.account || account === one.stand_in) &&
  (!provider || provider === one.provider);

function more(value, filter) {
  const of = JSON.stringify(filter);
  const next = older.of === of ? older.next : value.next;
  if (next == null) return null;
  const load = async () => {
    const found = await get("/sessions", { ...filter, limit: PAGE, before: next }).catch(() => null);
    if (!found) return;
    const before = older.of === of ? older.sessions : [];
    older = { of, sessions: [...before, ...found.sessions], next: found.next };
    changed();
  };
  return h("button.more", { key: "more", onclick: load }, "Show older");
}
