/** The list of decisions, the newest first. */

import { get } from "../core/api.js";
import { nameById } from "../core/fleet.js";
import { h, memo } from "../core/render.js";
import { href, opening, route } from "../core/router.js";
import { changed, state, takeDecisions } from "../core/store.js";
import { empty } from "../parts/empty.js";
import { row, table } from "../parts/table.js";
import { time } from "../parts/time-text.js";
import { sort } from "../say/words.js";

const DRAWN = 200; // rows: more than anyone reads, and cheap
const PAGE = 100; // what "Show older" asks for

const HEADS = ["At", "Went to", "Why", "Model", "Session"];

export function decisionList(shown, query) {
  if (!shown.length) return empty(filtered(query) ? NONE_FITS : nothingYet());
  const { open } = route().query;
  const rows = shown
    .slice(0, DRAWN)
    .map((one) => memo(one.number, [one, open, labelOf(one)], () => line(one)));
  return [table("rows.decisions", HEADS, rows), older(shown, query)];
}

const filtered = ({ account, reason, session }) => account || reason || session;

const NONE_FITS = {
  title: "No decision fits",
  text: "None of those that are kept matches this filter.",
  link: { href: href("activity"), text: "Show all" },
};

function nothingYet() {
  if (state.settings?.mode !== "off")
    return {
      title: "No decision yet",
      text: "Each request that the host asks about appears here the moment it is decided.",
    };
  return {
    title: "The router is off",
    text: "The host decides everything by itself.",
    link: { href: href("settings"), text: "Turn it on" },
  };
}

const choice = (one) => one.would ?? one;
const labelOf = (one) => nameById(choice(one).account, choice(one).account_label);

function line(one) {
  const { account, reason_text: words } = choice(one);
  const target = account
    ? [one.would && h("span.quiet", "would: "), labelOf(one)]
    : h("span.quiet", "left to the host");
  const why = h(
    "a",
    { href: opening("decision", one.number), "aria-label": `Decision ${one.number}: ${words}` },
    h(`i.key.${sort(one)}`, { "aria-hidden": "true" }),
    words,
  );
  return row({ "data-number": one.number }, HEADS, [
    time(one.at, "seconds"),
    target,
    why,
    h("span.mono.small", one.model || "not named"),
    one.session ? h("span.mono.small", one.session.fingerprint) : h("span.small.quiet", "none named"),
  ]);
}

function older(shown, { account, session, reason }) {
  const last = shown.at(-1).number;
  if (shown.length > DRAWN || last <= state.decisionRange.oldest) return null;
  const load = async () => {
    const found = await get("/decisions", { limit: PAGE, before: last, account, session, reason }).catch(
      () => null,
    );
    if (found) takeDecisions(found.decisions);
    changed();
  };
  return h("button.more", { key: "more", onclick: load }, "Show older");
}
