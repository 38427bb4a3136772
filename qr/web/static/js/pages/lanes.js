/** The lanes of the newest decisions: who served when. */

import { nameById } from "../core/fleet.js";
import { h } from "../core/render.js";
import { go, here, opening } from "../core/router.js";
import { choices } from "../parts/filters.js";
import { sort, SORTS } from "../say/words.js";
import "../charts/decision-lanes.js";

const MOST = 14; // lanes: those with the most decisions
const SPANS = {
  60: { title: "1 min" },
  300: { title: "5 min" },
  900: { title: "15 min" },
  3600: { title: "1 h" },
  21600: { title: "6 h" },
};
const USUAL = 900; // seconds, where there are enough decisions to fill them

const HOST = ""; // the lane of what was left to the host
const laneOf = (one) => one.would?.account ?? one.account ?? HOST;

/** The drawing of *all* decisions within the span that the address names; null before the first one. */
export function lanes(all, { span: wanted }, now) {
  if (!all.length) return null;
  const span = wanted in SPANS ? wanted : filled(now - all.at(-1).at);
  const from = now - Number(span);
  const recent = all.filter((one) => one.at >= from);
  return h(
    "figure.lanes",
    { key: "lanes" },
    h(
      "figcaption",
      legend(),
      choices("How far back", SPANS, span, (one) => here({ span: one })),
    ),
    recent.length ? drawing(recent, from, now) : h("p.quiet.small", "No decision in this time."),
  );
}

/** The shortest span that holds all decisions, at most the usual one: who has just begun shows no void. */
const filled = (age) => Object.keys(SPANS).find((span) => age < Number(span) || Number(span) === USUAL);

function drawing(recent, from, now) {
  const names = busiest(recent);
  const ids = new Set(names.map((lane) => lane.id));
  const decisions = recent
    .filter((one) => ids.has(laneOf(one)))
    .map((one) => ({ number: one.number, at: one.at, lane: laneOf(one), sort: sort(one) }));
  const open = (event) => go(opening("decision", event.detail));
  return h("decision-lanes", {
    owns: true,
    ".shown": { lanes: names, decisions, from, to: now },
    onopen: open,
  });
}

function busiest(recent) {
  const lanes = new Map();
  for (const one of recent) {
    const id = laneOf(one);
    const lane = lanes.get(id) ?? {
      id,
      name: id === HOST ? "left to the host" : nameById(id, one.account_label),
      count: 0,
    };
    lanes.set(id, { ...lane, count: lane.count + 1 });
  }
  const most = [...lanes.values()].sort((a, b) => b.count - a.count).slice(0, MOST);
  return most.sort((a, b) => a.name.localeCompare(b.name));
}

function legend() {
  const entry = ([name, words]) =>
    h("li", { key: name }, h(`i.key.${name}`, { "aria-hidden": "true" }), words);
  return h("ul.legend.small", Object.entries(SORTS).map(entry));
}
