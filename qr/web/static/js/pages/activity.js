/** Activity: decisions as they happen; each opens into why. */

import { answer, forget } from "../core/answers.js";
import { h } from "../core/render.js";
import { adjust, here } from "../core/router.js";
import { changed, state, takeDecisions } from "../core/store.js";
import { awaited } from "../parts/empty.js";
import { accountChoice, select } from "../parts/filters.js";
import { decisionList } from "./decision-list.js";
import { lanes } from "./lanes.js";

const PAGE = 500; // as many as the service keeps: the lanes want them all

let heldAt = null; // the newest number that is shown while the list is held still

export const activity = {
  title: "Activity",
  view({ query, now }) {
    const { account, session, reason } = query;
    const asked = answer("/decisions", { limit: PAGE, account, session, reason });
    learn(asked.value);
    const all = [...state.decisions.values()]
      .filter((one) => fits(one, query))
      .sort((a, b) => b.number - a.number);
    const shown = heldAt === null ? all : all.filter((one) => one.number <= heldAt);
    return [
      head(query, all, shown),
      lanes(all, query, now),
      awaited(asked, "The decisions") ?? decisionList(shown, query),
    ];
  },
};

const learned = new WeakSet();

/** Take an answer in once; those that came too fast for the live feed are asked for together. */
function learn(value) {
  if (value && !learned.has(value)) {
    learned.add(value);
    takeDecisions(value.decisions);
  }
  if (state.missed) {
    state.missed = 0;
    forget("/decisions");
  }
}

function fits(one, { account, session, reason: wanted }) {
  const [target, word] = [one.would?.account ?? one.account, one.would?.reason ?? one.reason];
  return (
    (!account || target === account) &&
    (!session || one.session?.key.startsWith(session)) &&
    (!wanted || word === wanted || word.startsWith(`${wanted}:`))
  );
}

const REASONS = [
  ["", "Every reason"],
  ["policy", "New sessions"],
  ["affinity", "Kept on their account"],
  ["inherit", "With their parent"],
  ["failover", "Stand-ins"],
  ["rebind", "Moved for good"],
  ["paid_usage", "Paid usage"],
  ["no_trusted_quota", "No trusted quota"],
  ["pinned", "Pinned"],
];

function head(query, all, shown) {
  const { newest } = state.decisionRange;
  return h(
    "div.page-head",
    { key: "head" },
    h("h1", "Activity"),
    h("p.quiet", newest ? `${newest} decisions since the service started` : ""),
    h(
      "div.tools",
      query.session &&
        h("a.tag", { href: here({ session: null }) }, `session ${query.session.slice(0, 8)} ×`),
      accountChoice(query.account),
      select("Reason", REASONS, query.reason, (word) => adjust({ reason: word })),
      holdButton(all, shown),
    ),
  );
}

function holdButton(all, shown) {
  const held = heldAt !== null;
  const fresh = all.length - shown.length;
  const turn = () => {
    heldAt = held ? null : (all[0]?.number ?? 0);
    changed();
  };
  return h(
    "button",
    { "aria-pressed": String(held), onclick: turn },
    held ? `Go on${fresh ? ` (${fresh} new)` : ""}` : "Hold still",
  );
}
