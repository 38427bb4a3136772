/** "All well", or the worst that is wrong and what to do about it; whatever else is said stands behind it. */

import { nameOf } from "../core/fleet.js";
import { h } from "../core/render.js";
import { href, opening } from "../core/router.js";
import { state } from "../core/store.js";
import { providerName } from "../say/words.js";
import { mark, toneOf } from "./mark.js";

const RANK = { error: 0, warning: 1, info: 2, ok: 3 };

/** The first tile of the strip; *all* are the accounts as they stand. */
export function verdict(all) {
  const notes = [...(state.status?.notes ?? [])].sort((a, b) => RANK[a.level] - RANK[b.level]);
  const [first, ...rest] = notes;
  const spoken = first && (RANK[first.level] < RANK.info || first.name.startsWith("mode_"));
  return h(
    "div.tile.verdict",
    { key: "verdict", "data-level": first?.level ?? "ok" },
    h(
      "p.headline",
      mark(spoken ? toneOf(first.level) : "good", "large"),
      h("span", spoken ? headline(first, all) : "All well"),
    ),
    !first && h("p.note.quiet", all.length ? "Nothing to do." : ""),
    first && h("p.note", { "data-note": first.name }, said(first, all, spoken)),
    rest.length > 0 &&
      h(
        "details.more",
        h("summary", `${rest.length} more`),
        h(
          "ul",
          rest.map((note) =>
            h(
              "li",
              { key: note.name + note.text, "data-note": note.name },
              mark(toneOf(note.level)),
              h("p", said(note, all)),
            ),
          ),
        ),
      ),
  );
}

// A headline where the service's own sentence is long, or could say whom it is about.
const HEADLINES = {
  mode_off: () => "The router is off",
  mode_shadow: () => "Shadow mode",
  no_persistence: () => "Nothing is remembered across restarts",
  write_failed: () => "The state cannot be saved at present",
  no_host: () => "No host is attached",
  no_feedback: () => "The host reports no results",
  settings_refused: () => "The newest settings were refused",
  census_failed: () => "The accounts cannot be listed",
  login_dead: (all) => dead(all),
};

const headline = (note, all) => HEADLINES[note.name]?.(all) ?? sentence(note.text);

const sentence = (text) => text.replace(/\.$/, "");

function dead(all) {
  const found = all.filter((one) => one.state === "login_dead").map((one) => one.account);
  if (found.length !== 1) return `${found.length} logins are dead`;
  const [account] = found;
  return [
    "The login of ",
    h("a", { href: opening("account", account.id) }, nameOf(account)),
    ` (${providerName(account.provider)}) is dead`,
  ];
}

const PLACES = {
  settings_refused: "settings",
  mode_shadow: "settings",
  mode_off: "settings",
  no_persistence: "health",
  write_failed: "health",
  no_host: "health",
  host_too_old: "health",
  no_feedback: "health",
  actor_dying: "health",
  picks_unanswered: "health",
  loop_lag: "health",
  census_failed: "health",
};

/**
 * The sentence, the advice, and the way to where more is told; what is said in the headline is not said
 * again.
 */
function said(note, all, above = false) {
  const page = PLACES[note.name];
  const repeated = above && (note.name === "login_dead" || headline(note, all) === sentence(note.text));
  return [
    !repeated && h("span", `${note.text} `),
    note.advice && h("span.advice", `${note.advice} `),
    page && h("a", { href: href(page) }, "Look"),
  ];
}
