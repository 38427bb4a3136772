/** Activity: decisions as they happen; each opens into why. */

import { answer, forget } from "../core/answers.js";
import { get } from "../core/api.js";
import { nameById, nameOf } from "../core/fleet.js";
import { h, memo } from "../core/render.js";
import { adjust, here, href, opening, route, go } from "../core/router.js";
import { changed, state, takeDecisions } from "../core/store.js";
import { awaited, empty } from "../parts/empty.js";
import { choices, select } from "../parts/filters.js";
import { mark } from "../parts/mark.js";
import { time } from "../parts/time-text.js";
import { reason, sort, SORTS } from "../say/words.js";
import "../charts/decision-lanes.js";

const PAGE = 100;
const DRAWN = 200; // rows: more than anyone reads, and cheap
const LANES = 14;
const SPANS = { 300: { title: "5 min" }, 900: { title: "15 min" }, 3600: { title: "1 h" }, 21600: { title: "6 h" } };

let heldAt = null; // the newest number that is shown while the list is held still

export const activity = {
  title: "Activity",
  view({ query, now }) {
    const asked = answer("/decisions", { limit: PAGE, account: query.account, session: query.session, reason: query.reason }, Infinity);
    learn(asked);
    const all = [...state.decisions.values()].filter((one) => fits(one, query)).sort((a, b) => b.number - a.number);
    const shown = heldAt === null ? all : all.filter((one) => one.number <= heldAt);
    return [head(query, all, shown), lanes(all, query, now), awaited(asked, "The decisions") ?? list(shown, query)];
  },
};

const learned = new WeakSet();

function learn({ value }) {
  if (value && !learned.has(value)) {
    learned.add(value);
    takeDecisions(value.decisions);
  }
  if (state.missed) {
    state.missed = 0;
    forget("/decisions"); // they came too fast to be told one by one: asked for together
  }
}

function fits(one, { account, session, reason: wanted }) {
  const [target, word] = [one.would?.account ?? one.account, one.would?.reason ?? one.reason];
  return (!account || target === account) && (!session || one.session?.key.startsWith(session)) && (!wanted || word === wanted || word.startsWith(`${wanted}:`));
}

const REASONS = [["", "Every reason"], ["policy", "New sessions"], ["affinity", "Kept on their account"], ["inherit", "With their parent"], ["failover", "Stand-ins"], ["rebind", "Moved for good"], ["paid_usage", "Paid usage"], ["no_trusted_quota", "No trusted quota"], ["pinned", "Pinned"]];

function head(query, all, shown) {
  const accounts = [["", "All accounts"], ...[...state.accounts.values()].map((one) => [one.id, nameOf(one)])];
  const fresh = all.length - shown.length;
  return h("div", { key: "head", class: "page-head" }, h("h1", {}, "Activity"),
    h("p", { class: "quiet" }, state.decisionRange.newest ? `${state.decisionRange.newest} decisions since the service started` : ""),
    h("div", { class: "tools" },
      query.session && h("a", { class: "tag", href: here({ session: null }) }, `session ${query.session.slice(0, 8)} ×`),
      select("Account", accounts, query.account, (id) => adjust({ account: id || null })),
      select("Reason", REASONS, query.reason, (word) => adjust({ reason: word || null })),
      h("button", { "aria-pressed": heldAt === null ? "false" : "true", onclick: () => { heldAt = heldAt === null ? (all[0]?.number ?? 0) : null; changed(); } }, heldAt === null ? "Hold still" : `Go on${fresh ? ` (${fresh} new)` : ""}`),
    ));
}

function lanes(all, query, now) {
  if (!all.length) return null;
  const span = Number(query.span in SPANS ? query.span : 900);
  const recent = all.filter((one) => one.at >= now - span);
  const counts = new Map();
  for (const one of recent) counts.set(laneOf(one), (counts.get(laneOf(one)) ?? 0) + 1);
  const busiest = [...counts].sort((a, b) => b[1] - a[1]).slice(0, LANES).map(([id]) => id);
  const names = busiest.map((id) => ({ id, name: id === HOST ? "left to the host" : nameById(id, labels(recent, id)) })).sort((a, b) => a.name.localeCompare(b.name));
  const decisions = recent.filter((one) => busiest.includes(laneOf(one))).map((one) => ({ number: one.number, at: one.at, lane: laneOf(one), sort: sort(one) }));
  return h("figure", { key: "lanes", class: "lanes" },
    h("figcaption", {}, legend(), choices("How far back", SPANS, String(span), (one) => here({ span: one }))),
    names.length ? h("decision-lanes", { owns: true, ".shown": { lanes: names, decisions, from: now - span, to: now }, onopen: (event) => go(opening("decision", event.detail)) }) : h("p", { class: "quiet small" }, "No decision in this time."));
}

const HOST = "";
const laneOf = (one) => one.would?.account ?? one.account ?? HOST;
const labels = (all, id) => all.find((one) => one.account === id)?.account_label;

const legend = () => h("ul", { class: "legend small" }, Object.entries(SORTS).map(([name, words]) => h("li", { key: name, class: name }, h("i", { class: `key ${name}`, "aria-hidden": "true" }), words)));

function list(shown, query) {
  if (!shown.length) return empty(query.account || query.reason || query.session ? { title: "No decision fits", text: "None of those that are kept matches this filter.", link: { href: href("activity"), text: "Show all" } } : nothingYet());
  const { open } = route().query;
  return [
    h("div", { key: "list", class: "wide" }, h("table", { class: "rows decisions" },
      h("thead", {}, h("tr", {}, ["At", "Went to", "Why", "Model", "Session"].map((word) => h("th", { scope: "col", key: word }, word)))),
      h("tbody", {}, shown.slice(0, DRAWN).map((one) => memo(one.number, [one, open, one.account && state.accounts.get(one.account)?.label], () => row(one)))))),
    older(shown, query),
  ];
}

function nothingYet() {
  if (state.settings?.mode === "off") return { title: "The router is off", text: "The host decides everything by itself.", link: { href: href("settings"), text: "Turn it on" } };
  return { title: "No decision yet", text: "Each request that the host asks about appears here the moment it is decided." };
}

function row(one) {
  const { would } = one;
  const account = would?.account ?? one.account;
  return h("tr", { "data-number": one.number, class: sort(one) },
    h("td", { "data-name": "At" }, time(one.at, "seconds")),
    h("td", { "data-name": "Went to" }, account ? [would && h("span", { class: "quiet" }, "would: "), nameById(account, would?.account_label ?? one.account_label)] : h("span", { class: "quiet" }, "left to the host")),
    h("td", { "data-name": "Why" }, h("a", { href: opening("decision", one.number), "aria-label": `Decision ${one.number}: ${words(one)}` }, h("i", { class: `key ${sort(one)}`, "aria-hidden": "true" }), words(one))),
    h("td", { "data-name": "Model", class: "mono small" }, one.model || "not named"),
    h("td", { "data-name": "Session", class: "mono small" }, one.session?.fingerprint ?? h("span", { class: "quiet" }, "none named")),
  );
}

const words = (one) => one.would?.reason_text ?? one.reason_text ?? reason(one.reason);

function older(shown, query) {
  const last = shown.at(-1)?.number;
  if (shown.length > DRAWN || last == null || last <= state.decisionRange.oldest) return null;
  const load = async () => {
    const found = await get("/decisions", { limit: PAGE, before: last, account: query.account, session: query.session, reason: query.reason }).catch(() => null);
    if (found) takeDecisions(found.decisions);
    changed();
  };
  return h("button", { key: "more", class: "more", onclick: load }, "Show older");
}
