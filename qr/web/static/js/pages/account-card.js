/** One account as a card: its state in words, a bar a window, the burn-down of the one that matters most. */

import { longWindow, nameOf } from "../core/fleet.js";
import { h } from "../core/render.js";
import { href, opening } from "../core/router.js";
import { accountActions } from "../parts/account-actions.js";
import { burn } from "../parts/burn.js";
import { mark } from "../parts/mark.js";
import { meter, windowTitle } from "../parts/meter.js";
import { time } from "../parts/time-text.js";
import { tone } from "../say/standing.js";
import { failure } from "../say/words.js";

export function accountCard({ account, state, text }, now) {
  return h("article", { key: account.id, class: `card account ${tone(state)}`, "data-account": account.id, "data-state": state },
    h("header", {}, title(account, state, text), accountActions(account)),
    h("div", { class: "meters" }, account.windows.length ? account.windows.map((window) => meter(account, window, now)) : nothingRead(account)),
    chart(account, now),
    h("footer", { class: "small quiet" }, facts(account)),
  );
}

/** The name, which opens the account, and what holds of it. */
export function title(account, state, text) {
  return h("div", { class: "who" },
    h("h3", {}, h("a", { href: opening("account", account.id), title: account.id }, nameOf(account))),
    h("p", { class: "small" }, mark(tone(state)), h("span", { class: textTone(state) }, text), account.plan && h("span", { class: "tag" }, account.plan)),
  );
}

const textTone = (state) => (["bad", "warn"].includes(tone(state)) ? tone(state) : "quiet");

function nothingRead(account) {
  const why = account.polling.polled ? "It is read soon." : `It is not polled: ${account.polling.why_not ?? "no reason told"}.`;
  return h("p", { class: "quiet" }, `Nothing was read of it yet. ${why}`);
}

function chart(account, now) {
  const window = longWindow(account) ?? account.windows[0];
  const drawn = window && burn(account, window, now);
  return drawn && h("figure", { class: "burn" }, h("figcaption", { class: "small quiet" }, `${windowTitle(window)}: % left until its reset`), drawn);
}

/** Age of the data, the next poll, sessions, what went wrong last. */
export function facts(account) {
  const { polling, last_error: error } = account;
  return [
    h("span", {}, "read ", time(account.observed_at || null, "distance", "never")),
    h("span", {}, polling.polled ? ["next poll ", time(polling.next_at, "both", "not planned")] : "not polled"),
    h("a", { href: href("sessions", { account: account.id }) }, account.sessions === 1 ? "1 session" : `${account.sessions} sessions`),
    account.manual_priority !== 0 && h("span", {}, `priority ${account.manual_priority > 0 ? "+" : ""}${account.manual_priority}`),
    error && h("span", { class: "warn" }, `last error: ${error.text ?? failure(error.name)}`),
  ];
}
