/** The list of bound sessions, the most recently used first. */

import { unbind } from "../core/actions.js";
import { nameById } from "../core/fleet.js";
import { h } from "../core/render.js";
import { href, opening } from "../core/router.js";
import { empty } from "../parts/empty.js";
import { row, table } from "../parts/table.js";
import { time } from "../parts/time-text.js";
import { providerName } from "../say/words.js";

const HEADS = ["Session", "Account", "Bound", "Last used", "Forgotten if idle", "Decision", ""];

export function sessionList(all, { account }) {
  if (all.length) return table("rows", HEADS, all.map(line));
  const link = account && { href: href("sessions"), text: "Show all" };
  const text =
    "A session is bound when its first request is served. Requests that name no session are served without.";
  return empty({
    title: "No session is bound",
    text: account ? "None is bound to this account." : text,
    link,
  });
}

function line(one) {
  return row({ key: `${one.provider}:${one.key}`, "data-session": one.fingerprint }, HEADS, [
    [
      h("a.mono", { href: href("activity", { session: one.key }) }, one.fingerprint),
      h("span.tag", providerName(one.provider)),
    ],
    [h("a", { href: opening("account", one.account) }, nameById(one.account)), standIn(one.stand_in)],
    time(one.bound_at),
    time(one.used_at),
    time(one.expires_at),
    one.last_decision
      ? h("a", { href: opening("decision", one.last_decision) }, `#${one.last_decision}`)
      : h("span.quiet", "not kept"),
    h(
      "button.plain",
      { "aria-label": `Unbind session ${one.fingerprint}`, onclick: () => unbind(one.provider, one.key) },
      "Unbind",
    ),
  ]);
}

const standIn = (account) => account && h("span.warn.small.block", "stand-in: ", nameById(account));
