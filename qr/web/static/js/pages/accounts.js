/** Accounts: what each has left, until when, and how old that knowledge is. */

import { byProvider, nameOf, serving, standings } from "../core/fleet.js";
import { h } from "../core/render.js";
import { adjust, here } from "../core/router.js";
import { state } from "../core/store.js";
import { empty } from "../parts/empty.js";
import { filterField, choices } from "../parts/filters.js";
import { canServe, tone } from "../say/standing.js";
import { providerName } from "../say/words.js";
import { accountCard } from "./account-card.js";
import { accountTable } from "./account-table.js";

const FEW = 12; // accounts that are shown as cards where nobody asked for one or the other

const SHOWN = {
  all: { title: "All", keep: () => true },
  attention: { title: "Want attention", keep: (one) => ["bad", "warn"].includes(tone(one.state)) },
  serving: { title: "Can serve", keep: (one) => canServe(one.state) },
};

export const accounts = {
  title: "Accounts",
  view({ query, now }) {
    const all = standings(now);
    if (!all.length) return empty(noAccounts());
    const kept = all
      .filter(SHOWN[query.show]?.keep ?? SHOWN.all.keep)
      .filter((one) => matches(one.account, query.q));
    const form = query.as ?? (all.length > FEW ? "table" : "cards");
    return [
      h(
        "div.page-head",
        h("h1", "Accounts"),
        h("p.quiet", `${serving(all).length} of ${all.length} can serve`),
        tools(all, query, form),
      ),
      kept.length
        ? form === "cards"
          ? cards(kept, now)
          : byProvider(kept).map((group) => section(group, now))
        : empty({
            title: "No account fits",
            text: "Nothing matches this filter.",
            link: { href: here({ q: null, show: null }), text: "Show all" },
          }),
    ];
  },
};

function tools(all, query, form) {
  return h(
    "div.tools",
    filterField("Find an account", query.q, (q) => adjust({ q })),
    choices("Which", SHOWN, query.show ?? "all", (show) => here({ show: show === "all" ? null : show })),
    choices("Shown as", { cards: { title: "Cards" }, table: { title: "Table" } }, form, (as) => here({ as })),
  );
}

function matches(account, words = "") {
  const { id, plan, provider, fingerprint } = account;
  const text = [nameOf(account), id, plan, provider, fingerprint].join(" ").toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const cards = (all, now) =>
  h(
    "div.cards",
    byProvider(all)
      .flatMap(([, some]) => some)
      .map((one) => accountCard(one, now)),
  );

function section([provider, all], now) {
  const can = serving(all).length;
  return h(
    "section.group",
    { key: provider, "aria-label": providerName(provider) },
    h("h2", providerName(provider), h("span.quiet", ` ${can} of ${all.length} can serve`)),
    accountTable(all, now),
  );
}

function noAccounts() {
  if (state.epoch === null)
    return {
      title: "Waiting for the service",
      text: "The accounts appear here as soon as it answers.",
      busy: true,
    };
  const note = state.status?.notes?.find((one) =>
    ["no_accounts", "census_failed", "no_host"].includes(one.name),
  );
  return {
    title: "No accounts yet",
    text: note
      ? `${note.text} ${note.advice ?? ""}`
      : "The host lists none. Log in to one in the host, and it appears here within half a minute.",
  };
}
