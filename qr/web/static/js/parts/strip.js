/**
 * The strip on top of every page: is all well, what runs dry first and when, what to do.
 */

import { byProvider, firstDry, nameOf, nextReset, serving, standings } from "../core/fleet.js";
import { h } from "../core/render.js";
import { href, opening } from "../core/router.js";
import { state } from "../core/store.js";
import { percent } from "../say/percent.js";
import { drySoon } from "../say/standing.js";
import { providerName } from "../say/words.js";
import { mark } from "./mark.js";
import { windowTitle } from "./meter.js";
import { time } from "./time-text.js";
import { verdict } from "./verdict.js";

/** The strip; nothing before the service answered. */
export function strip(now) {
  if (state.epoch === null) return null;
  const all = standings(now);
  const able = serving(all);
  return [
    verdict(all),
    tile("dry", "Runs dry first", dry(firstDry(able, now), now)),
    ...comesBack(nextReset(all, now)),
    tile(
      "able",
      "Can serve",
      all.length ? byProvider(all).map(capacity) : h("p.quiet", "No account is known"),
    ),
  ];
}

const tile = (key, title, body) => h("div", { key, class: `tile ${key}` }, h("h2", title), body);

function dry(found, now) {
  return found
    ? subject(found, drySoon(found.window, now) ? "warn" : "")
    : h("p.quiet", "Nothing, at the pace so far");
}

function comesBack(found) {
  if (!found) return [tile("reset", "Resets next", h("p.quiet", "No reset is known"))];
  return [tile("reset", found.window.exhausted ? "Comes back first" : "Resets next", subject(found, ""))];
}

function subject({ account, window, at }, tone) {
  return [
    h("p", { class: `moment ${tone}` }, time(at, "distance"), " ", h("span.quiet", time(at, "clock"))),
    h(
      "p.small",
      h("a", { href: opening("window", account.id, window.name) }, nameOf(account)),
      h("span.quiet.nowrap", ` ${windowTitle(window)}, ${percent(window.remaining_percent)} left`),
    ),
  ];
}

function capacity([provider, all]) {
  const able = serving(all).length;
  const tone = able === 0 ? "bad" : able < all.length / 2 ? "warn" : "";
  const count = h("a", { href: href("accounts", { q: provider }) }, `${able} of ${all.length}`);
  return h("p", { key: provider, class: tone }, tone && mark(tone), count, ` ${providerName(provider)}`);
}
