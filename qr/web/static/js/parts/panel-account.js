/** All of one account: its windows, its health, its polls, and what can be done with it. */

import { loadOf, nameOf } from "../core/fleet.js";
import { h } from "../core/render.js";
import { href } from "../core/router.js";
import { state } from "../core/store.js";
import { accountState, tone } from "../say/standing.js";
import { providerName } from "../say/words.js";
import { accountActions, priorityField } from "./account-actions.js";
import { burn } from "./burn.js";
import { empty } from "./empty.js";
import { listing } from "./listing.js";
import { mark } from "./mark.js";
import { meter, windowTitle } from "./meter.js";
import { time } from "./time-text.js";

const ADVICE = {
  login_dead:
    "Log in to this account again in the host. It is tried again as soon as its credential changes.",
  disabled: "It is disabled in the host. Enable it there to have it serve.",
  exhausted: "Nothing to do: it comes back by itself when it resets.",
  circuit_open: "It failed several times in a row. One trial request follows; if that is served, it is back.",
  unknown: "Nothing is known of its quota yet. It is not chosen for new sessions until it was read.",
  stale: "Its readings are too old to choose it for new sessions. Sessions that are bound to it stay.",
};

export function accountPanel(id, now) {
  const account = state.accounts.get(id);
  if (!account)
    return {
      title: "No such account",
      body: empty({ title: "", text: "It is gone from the host's directory." }),
    };
  const held = accountState(account, now);
  return {
    title: nameOf(account),
    sub: [providerName(account.provider), account.plan, `fingerprint ${account.fingerprint}`]
      .filter(Boolean)
      .join(" · "),
    body: [
      h("p.state", { key: "state" }, mark(tone(held.state)), h("b", held.text)),
      ADVICE[held.state] && h("p.quiet", { key: "advice" }, ADVICE[held.state]),
      h("div.panel-actions", { key: "do" }, accountActions(account)),
      account.windows.map((window) =>
        h(
          "section",
          { key: `window ${window.name}` },
          meter(account, window, now),
          chart(account, window, now),
        ),
      ),
      h(
        "section",
        { key: "priority" },
        h("h3", "Manual priority"),
        priorityField(account),
        h("p.small.quiet", "Within a host tier, higher goes first."),
      ),
      h("section", { key: "facts" }, h("h3", "Health"), facts(account, now)),
    ],
  };
}

function chart(account, window, now) {
  const drawn = burn(account, window, now, 110);
  return (
    drawn && h("figure.burn", h("figcaption.unseen", `${windowTitle(window)}: % left until its reset`), drawn)
  );
}

function facts(account, now) {
  const { polling, circuit, actor, last_error: error } = account;
  const load = loadOf(account);
  return listing([
    ["Login", account.login === "dead" ? h("span.bad", "dead: log in again") : "works, as far as is known"],
    ["Circuit", circuitWords(circuit, now)],
    ["Last error", error ? error.text : "none since the last success"],
    ["Newest reading", time(account.observed_at || null, "seconds", "never")],
    ["Last poll", lastPoll(polling)],
    ["Next poll", nextPoll(polling, now)],
    ["Sessions", h("a", { href: href("sessions", { account: account.id }) }, `${load.sessions} bound`)],
    ["Reserved", `${Math.round(load.reserved * 10) / 10} % for sessions bound since the last reading`],
    ["Decisions", h("a", { href: href("activity", { account: account.id }) }, "those that went to it")],
    [
      "Actor",
      actor.restarts
        ? `${actor.restarts} restarts, last: ${actor.last_death ?? "unknown"}`
        : "alive, never restarted",
    ],
    ["Id", h("code", account.id)],
  ]);
}

function lastPoll({ last_at: at, last_error: error }) {
  return [time(at, "seconds", "none yet"), error && h("span.warn", `: ${error}`)];
}

function nextPoll({ polled, why_not: why, next_at: at }, now) {
  if (!polled) return `not polled: ${why ?? "no reason told"}`;
  return at != null && at <= now ? "under way" : time(at, "both", "not planned");
}

function circuitWords({ state: word, until, trial_until: trial }, now) {
  if (word === "closed") return "closed: requests flow";
  if (word === "open" && (until == null || until > now))
    return ["open: no requests; a trial ", time(until, "both", "later")];
  return trial != null && trial > now
    ? ["half open: its one trial is under way, given up ", time(trial)]
    : "half open: the next request is its trial";
}
