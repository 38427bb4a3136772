/** One account as a card: its state in words, a bar a window, the burn-down of the one that matters most. */

import { refreshableAt } from "../core/actions.js";
import { now } from "../core/clock.js";
import { course } from "../core/courses.js";
import { loadOf, longWindow, nameOf } from "../core/fleet.js";
import { h, memo } from "../core/render.js";
import { href, opening } from "../core/router.js";
import { accountActions } from "../parts/account-actions.js";
import { burn, burnCaption } from "../parts/burn.js";
import { mark } from "../parts/mark.js";
import { meter } from "../parts/meter.js";
import { time } from "../parts/time-text.js";
import { tone, windowState } from "../say/standing.js";
import { priority, providerName } from "../say/words.js";

/** A card, described anew only when something in it changed. */
export function accountCard(one, now) {
  const window = charted(one.account);
  const points = window?.starts_at != null ? course(one.account, window, window.starts_at).length : 0;
  return memo(one.account.id, [...whatMatters(one, now), points], () => card(one, now));
}

const EVEN_USE_MOVES = 60; // seconds in which nobody sees it move

/** What the drawing of an account depends on: itself, and what the passing of time makes of it. */
export function whatMatters({ account, state }, now) {
  const windows = account.windows.map((window) => windowState(window, now)).join();
  const wait = refreshableAt(account) > now;
  return [
    account,
    state,
    windows,
    wait,
    loadOf(account).sessions,
    location.hash,
    Math.floor(now / EVEN_USE_MOVES),
  ];
}

function card({ account, state, text }, now) {
  return h(
    "article.card.account",
    { key: account.id, "data-tone": tone(state), "data-account": account.id, "data-state": state },
    h("header", title(account, state, text), accountActions(account)),
    h(
      "div.meters",
      account.windows.length
        ? account.windows.map((window) => meter(account, window, now))
        : nothingRead(account),
    ),
    chart(account, now),
    h("footer.small.quiet", facts(account)),
  );
}

/** The name, which opens the account, and what holds of it. */
export function title(account, state, text) {
  return h(
    "div.who",
    h("h3", h("a", { href: opening("account", account.id), title: account.id }, nameOf(account))),
    h(
      "p.small",
      mark(tone(state)),
      h("span", { class: textTone(state) }, text),
      h("span.tag", [providerName(account.provider), account.plan].filter(Boolean).join(" ")),
    ),
  );
}

const textTone = (state) => (["bad", "warn"].includes(tone(state)) ? tone(state) : "quiet");

function nothingRead(account) {
  const why = account.polling.polled
    ? "It is read soon."
    : `It is not polled: ${account.polling.why_not ?? "no reason told"}.`;
  return h("p.quiet", `Nothing was read of it yet. ${why}`);
}

const charted = (account) => longWindow(account) ?? account.windows[0];

function chart(account, now) {
  const window = charted(account);
  const drawn = window && burn(account, window, now);
  return drawn && h("figure.burn", burnCaption(window), drawn);
}

/** When the account is read next; a poll that is due is under way. */
function pollWords({ polled, next_at: at }) {
  if (!polled) return "not polled";
  return at != null && at <= now() ? "being read now" : ["next poll ", time(at, "both", "not planned")];
}

/** Age of the data, the next poll, sessions, what went wrong last. */
export function facts(account) {
  const { polling, last_error: error } = account;
  const { sessions } = loadOf(account);
  return [
    h("span", "read ", time(account.observed_at || null, "both", "never")),
    h("span", pollWords(polling)),
    h(
      "a",
      { href: href("sessions", { account: account.id }) },
      sessions === 1 ? "1 session" : `${sessions} sessions`,
    ),
    account.manual_priority !== 0 && h("span", `priority ${priority(account.manual_priority)}`),
    error && h("span.warn", `last error: ${error.text}`),
  ];
}
