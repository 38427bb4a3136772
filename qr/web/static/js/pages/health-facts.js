/** What is known of the service, subject by subject: how well each is, and the facts. */

import { h } from "../core/render.js";
import { listing } from "../parts/listing.js";
import { shares } from "../parts/shares.js";
import { time } from "../parts/time-text.js";
import { duration } from "../say/time.js";
import { reasonName } from "../say/words.js";

const LATE = 0.25; // seconds of delay after which a pick's own deadline is in danger

export function host({ host: told, settings }) {
  if (told.alone)
    return { tone: "info", body: h("p", "The service reads an auth directory itself and expects no host.") };
  const { library, schema } = told;
  const tone = !told.attached ? "bad" : told.schema_enough && told.feedback ? "good" : "warn";
  return {
    tone,
    body: listing([
      [
        "Link",
        told.attached
          ? "the plugin library is connected"
          : h("span.bad", "no plugin library is connected: the host decides by itself"),
      ],
      [
        "Library",
        library.version
          ? `${library.plugin ?? "quota-router"} ${library.version}, process ${library.pid ?? "unknown"}`
          : "none",
      ],
      [
        "RPC schema",
        schema == null
          ? "not told yet"
          : `${schema}${told.schema_enough ? "" : ": too old for all that is wanted of it"}`,
      ],
      [
        "Usage feedback",
        told.feedback
          ? `${told.feedback} records`
          : h("span.warn", "none yet: refusals and response headers are not seen"),
      ],
      told.unreadable > 0 && ["Unreadable records", String(told.unreadable)],
      ["Connections", `${told.connections}${told.turned_away ? `, ${told.turned_away} turned away` : ""}`],
      ["Accounts", told.census_problem ? h("span.warn", told.census_problem) : "can be listed"],
      ["Settings", `generation ${settings.generation}`],
    ]),
  };
}

export function persistence({ persistence: told }) {
  const kept = told.problem ? "not saved at present" : "kept across restarts";
  return {
    tone: told.persistent && !told.problem ? "good" : "bad",
    body: listing([
      ["State", told.persistent ? kept : h("span.bad", "nothing is remembered across restarts")],
      told.problem && ["Problem", h("span.bad", told.problem)],
      ["File", h("code", told.path)],
      ["Last write", [time(told.last_write_at, "seconds", "none yet"), `, ${told.writes} in all`]],
      ...told.notices.map((notice, at) => [`Notice ${at + 1}`, notice]),
    ]),
  };
}

export function picks({ picks: told }) {
  const all = Object.entries(told.reasons).sort((a, b) => b[1] - a[1]);
  const facts = listing([
    ["Decided", String(told.decided)],
    [
      "Unanswered",
      told.unanswered ? `${told.unanswered}: the host chose, since nobody decided in time` : "none",
    ],
  ]);
  const named = ([word, count]) => [h("span", { title: word }, reasonName(word)), count];
  return { tone: told.unanswered ? "warn" : "good", body: [facts, all.length > 0 && shares(all.map(named))] };
}

const milliseconds = (seconds) => `${Math.round(seconds * 10_000) / 10} ms`;

export function pace({ loop: told, feed }) {
  const { lag_seconds: lag, worst_seconds: worst, window_seconds: window } = told;
  return {
    tone: worst > LATE ? "warn" : "good",
    body: listing([
      ["Event loop", `${milliseconds(lag)} late now, ${milliseconds(worst)} at worst in ${duration(window)}`],
      [
        "Live feed",
        `${feed.listeners} ${feed.listeners === 1 ? "listener" : "listeners"}, change ${feed.number}`,
      ],
    ]),
  };
}

const NAMES = { quota_router: "quota-router", library: "plugin library" };

export function versions({ versions: told, epoch }) {
  const all = Object.entries(told).map(([name, version]) => [NAMES[name] ?? name, version ?? "unknown"]);
  return { tone: "info", body: listing([...all, ["this life", h("code", epoch)]]) };
}

export function limits({ limits: all }) {
  return {
    tone: "info",
    body: h(
      "ul.lines",
      all.map((one) => h("li", { key: one.name }, one.text)),
    ),
  };
}
