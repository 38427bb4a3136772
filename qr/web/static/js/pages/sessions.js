/** Sessions: which agent thread is kept on which account. */

import { unbind } from "../core/actions.js";
import { answer } from "../core/answers.js";
import { get } from "../core/api.js";
import { nameById, nameOf } from "../core/fleet.js";
import { h } from "../core/render.js";
import { adjust, here, href, opening } from "../core/router.js";
import { changed, state } from "../core/store.js";
import { awaited, empty } from "../parts/empty.js";
import { select } from "../parts/filters.js";
import { time } from "../parts/time-text.js";
import { providerName } from "../say/words.js";

const PAGE = 100;
let older = { of: "", sessions: [], next: undefined };

export const sessions = {
  title: "Sessions",
  view({ query }) {
    const { account, provider } = query;
    const asked = answer("/sessions", { account, provider, limit: PAGE }, 30);
    const waiting = awaited(asked, "The sessions");
    return [head(asked.value, query), waiting ?? [shares(asked.value, account), table(rows(asked.value, query), query), more(asked.value, query)]];
  },
};

function head(value, { account }) {
  const options = [["", "All accounts"], ...[...state.accounts.values()].map((one) => [one.id, nameOf(one)])];
  const words = value ? `${value.total} bound${value.matching !== value.total ? `, ${value.matching} of them here` : ""}` : "";
  return h("div", { key: "head", class: "page-head" }, h("h1", {}, "Sessions"), h("p", { class: "quiet" }, words, value?.shadow && " · bindings of shadow mode, dropped when the mode changes"),
    h("div", { class: "tools" }, select("Account", options, account, (id) => adjust({ account: id || null }))));
}

/** How the sessions are spread over the accounts; each part is a filter. */
function shares({ accounts }, current) {
  const all = Object.entries(accounts).sort((a, b) => b[1] - a[1]).slice(0, 12);
  const most = Math.max(1, ...all.map(([, count]) => count));
  if (all.length < 2) return null;
  return h("ul", { key: "shares", class: "shares" }, all.map(([id, count]) => h("li", { key: id },
    h("a", { href: here({ account: current === id ? null : id }), "aria-current": current === id ? "true" : null }, nameById(id)),
    h("span", { class: "share", style: { "--part": `${(count / most) * 100}%` }, "aria-hidden": "true" }), h("span", { class: "number" }, String(count)))));
}

/** What was asked for, with the newest word of the live feed on each, the most recently used first. */
function rows(value, { account, provider }) {
  const extra = older.of === JSON.stringify([account, provider]) ? older.sessions : [];
  const all = new Map([...value.sessions, ...extra].map((one) => [`${one.provider}:${one.key}`, one]));
  for (const [key, binding] of state.bindings) {
    if (binding === null) all.delete(key);
    else if ((!account || binding.account === account) && (!provider || binding.provider === provider)) all.set(key, binding);
    else all.delete(key);
  }
  return [...all.values()].sort((a, b) => b.used_at - a.used_at);
}

function table(all, { account }) {
  if (!all.length) return empty({ title: "No session is bound", text: account ? "None is bound to this account." : "A session is bound when its first request is served. Requests that name no session are served without.", link: account && { href: href("sessions"), text: "Show all" } });
  return h("div", { key: "table", class: "wide" }, h("table", { class: "rows" },
    h("thead", {}, h("tr", {}, ["Session", "Account", "Bound", "Last used", "Forgotten when idle", "Newest decision", ""].map((word) => h("th", { scope: "col", key: word || "do" }, word || h("span", { class: "unseen" }, "Actions"))))),
    h("tbody", {}, all.map(row))));
}

function row(one) {
  return h("tr", { key: `${one.provider}:${one.key}`, "data-session": one.fingerprint },
    h("th", { scope: "row", "data-name": "Session" }, h("a", { class: "mono", href: href("activity", { session: one.key }) }, one.fingerprint), h("span", { class: "tag" }, providerName(one.provider))),
    h("td", { "data-name": "Account" }, h("a", { href: opening("account", one.account) }, nameById(one.account)), one.stand_in && h("span", { class: "warn small block" }, "stand-in: ", nameById(one.stand_in))),
    h("td", { "data-name": "Bound" }, time(one.bound_at)),
    h("td", { "data-name": "Last used" }, time(one.used_at)),
    h("td", { "data-name": "Forgotten" }, time(one.expires_at)),
    h("td", { "data-name": "Decision" }, one.last_decision ? h("a", { href: opening("decision", one.last_decision) }, `#${one.last_decision}`) : h("span", { class: "quiet" }, "not kept")),
    h("td", {}, h("button", { class: "plain", "aria-label": `Unbind session ${one.fingerprint}`, onclick: () => unbind(one.provider, one.key) }, "Unbind")),
  );
}

function more(value, { account, provider }) {
  const of = JSON.stringify([account, provider]);
  const next = older.of === of ? older.next : value.next;
  if (next == null) return null;
  return h("button", { key: "more", class: "more", onclick: () => load(of, { account, provider, limit: PAGE, before: next }) }, "Show older");
}

async function load(of, query) {
  const found = await get("/sessions", query).catch(() => null);
  if (!found) return;
  const before = older.of === of ? older.sessions : [];
  older = { of, sessions: [...before, ...found.sessions], next: found.next };
  changed();
}
