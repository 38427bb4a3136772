/**
 * The strip on top of every page: is all well, what runs dry first and when, what to do.
 */

import { byProvider, firstDry, nameOf, nextReset, serving, standings } from "../core/fleet.js";
import { h } from "../core/render.js";
import { href, opening } from "../core/router.js";
import { state } from "../core/store.js";
import { percent } from "../say/percent.js";
import { providerName } from "../say/words.js";
import { mark, toneOf } from "./mark.js";
import { windowTitle } from "./meter.js";
import { time } from "./time-text.js";

const RANK = { error: 0, warning: 1, info: 2, ok: 3 };

/** The strip; nothing before the service answered. */
export function strip(now) {
  if (state.epoch === null) return null;
  const all = standings(now);
  const able = serving(all);
  return [verdict(), dry(able, now), comesBack(all, now), h("div", { key: "able", class: "tile able" }, h("h2", {}, "Can serve"), byProvider(all).map(capacity))];
}

/** "All well", or what is wrong and what to do about it; all that is said stands behind it. */
function verdict() {
  const notes = [...(state.status?.notes ?? [])].sort((a, b) => RANK[a.level] - RANK[b.level]);
  const level = stale() ? "warning" : (state.status?.level ?? "ok");
  const loud = notes.filter((note) => RANK[note.level] < RANK.info);
  const [first, ...rest] = loud.length ? loud : notes;
  return h("div", { key: "verdict", class: `tile verdict ${toneOf(level)}`, "data-level": level },
    h("p", { class: "headline" }, mark(loud.length ? toneOf(loud[0].level) : "good", "large"), h("span", {}, loud.length ? headline(loud) : "All well")),
    first && said(first),
    rest.length > 0 && h("details", { class: "more" }, h("summary", {}, `${rest.length} more`), h("ul", {}, rest.map((note) => h("li", { key: note.name + note.text }, mark(toneOf(note.level)), h("div", {}, said(note)))))),
  );
}

const headline = (loud) => (loud.length === 1 ? "One thing wants attention" : `${loud.length} things want attention`);

const PLACES = {
  settings_refused: "settings", mode_shadow: "settings", mode_off: "settings",
  no_persistence: "health", write_failed: "health", no_host: "health", host_too_old: "health", no_feedback: "health",
  actor_dying: "health", picks_unanswered: "health", loop_lag: "health", census_failed: "health",
};

function said(note) {
  const page = PLACES[note.name];
  return h("p", { class: "note", "data-note": note.name }, h("span", {}, note.text), note.advice && h("span", { class: "advice" }, ` ${note.advice}`), page && [" ", h("a", { href: href(page) }, "Look")]);
}

const stale = () => state.link.how === "lost";

function dry(all, now) {
  const found = firstDry(all, now);
  return tile("dry", "Runs dry first", found ? subject(found, "warn", found.at) : h("p", { class: "quiet" }, "Nothing, at the average pace of each"));
}

function comesBack(all, now) {
  const found = nextReset(all, now);
  const title = found?.window.exhausted ? "Comes back first" : "Resets next";
  return tile("reset", title, found ? subject(found, "", found.at) : h("p", { class: "quiet" }, "No reset is known"));
}

function subject({ account, window, at }, tone) {
  return [
    h("p", { class: `moment ${tone}` }, time(at, "distance"), " ", h("span", { class: "quiet" }, time(at, "clock"))),
    h("p", { class: "small" }, h("a", { href: opening("window", account.id, window.name) }, nameOf(account)), h("span", { class: "quiet" }, ` · ${windowTitle(window)}, ${percent(window.remaining_percent)} left`)),
  ];
}

const tile = (key, title, body) => h("div", { key, class: `tile ${key}` }, h("h2", {}, title), body);

function capacity([provider, all]) {
  const able = serving(all).length;
  const tone = able === 0 ? "bad" : able < all.length / 2 ? "warn" : "";
  return h("p", { key: provider, class: tone }, tone && mark(tone), h("b", {}, `${able} of ${all.length}`), ` ${providerName(provider)}`);
}
