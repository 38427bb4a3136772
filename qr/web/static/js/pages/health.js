/** Health: the service itself. */

import { answer } from "../core/answers.js";
import { h } from "../core/render.js";
import { awaited } from "../parts/empty.js";
import { listing } from "../parts/listing.js";
import { mark } from "../parts/mark.js";
import { time } from "../parts/time-text.js";
import { duration } from "../say/time.js";
import { reason } from "../say/words.js";

export const health = {
  title: "Health",
  view({ now }) {
    const asked = answer("/health", {}, 5);
    const value = asked.value;
    return [
      h("div", { key: "head", class: "page-head" }, h("h1", {}, "Health"), value && h("p", { class: "quiet" }, `Running for ${duration(now - value.started_at)}`)),
      awaited(asked, "The health") ?? h("div", { class: "facts" }, host(value), persistence(value), picks(value), actors(value), mailboxes(value), loop(value), versions(value), limits(value)),
    ];
  },
};

/** A card: its title, whether all is well in it, its body. */
function card(title, tone, body, classes = "") {
  return h("section", { key: title, class: `card ${classes}`, "data-card": title }, h("header", {}, h("h2", {}, mark(tone), " ", title)), body);
}

function host({ host: told, settings }) {
  if (told.alone) return card("Host", "info", h("p", {}, "The service reads an auth directory itself and expects no host."));
  const tone = !told.attached ? "bad" : told.schema_enough === false || told.feedback === 0 ? "warn" : "good";
  return card("Host", tone, listing([
    ["Link", told.attached ? "the plugin library is connected" : h("span", { class: "bad" }, "no plugin library is connected: the host decides by itself")],
    ["Library", told.library ? `${told.library.plugin} ${told.library.version}, process ${told.library.pid}` : "none"],
    ["RPC schema", told.schema == null ? "not told yet" : `${told.schema}${told.schema_enough ? "" : ": too old for all that is wanted of it"}`],
    ["Usage feedback", told.feedback ? `${told.feedback} records` : h("span", { class: "warn" }, "none yet: failures and response headers are not seen, only polls")],
    told.unreadable > 0 && ["Unreadable records", String(told.unreadable)],
    ["Connections", `${told.connections}${told.turned_away ? `, ${told.turned_away} turned away` : ""}`],
    ["Listing of accounts", told.census_problem ? h("span", { class: "warn" }, told.census_problem) : "works"],
    ["Settings generation", String(settings.generation)],
  ]));
}

function persistence({ persistence: told }) {
  return card("Persistence", told.persistent && !told.problem ? "good" : "bad", listing([
    ["State", told.persistent ? (told.problem ? "not saved at present" : "kept across restarts") : h("span", { class: "bad" }, "off: nothing is remembered across restarts")],
    told.problem && ["Problem", h("span", { class: "bad" }, told.problem)],
    ["File", h("code", {}, told.path ?? "none")],
    ["Last write", [time(told.last_write_at, "seconds", "none yet"), `, ${told.writes} in all`]],
    ...told.notices.map((notice, at) => [at ? "" : "Notice", notice]),
  ]));
}

function picks({ picks: told }) {
  const all = Object.entries(told.reasons).sort((a, b) => b[1] - a[1]);
  const most = all[0]?.[1] ?? 1;
  return card("Picks", told.unanswered ? "warn" : "good", [
    listing([["Decided", String(told.decided)], ["Unanswered", told.unanswered ? `${told.unanswered}: the host chose by itself, since nobody was there in time` : "none"]]),
    h("ul", { class: "shares" }, all.map(([word, count]) => h("li", { key: word }, h("span", { title: word }, reason(word)), h("span", { class: "share", style: { "--part": `${(count / most) * 100}%` }, "aria-hidden": "true" }), h("span", { class: "number" }, String(count))))),
  ]);
}

function actors({ actors: all, account_actors: accounts }) {
  const dead = all.some((one) => !one.alive) || accounts.dying?.length > 0;
  const row = (name, alive, restarts, death, ago) => h("tr", { key: name }, h("th", { scope: "row" }, name), h("td", { class: alive ? "" : "bad" }, alive ? "alive" : "between two lives"), h("td", { class: "number" }, String(restarts)), h("td", {}, death ? `${death}${ago == null ? "" : `, ${duration(ago)} ago`}` : h("span", { class: "quiet" }, "never")));
  return card("Actors", dead ? "bad" : "good", h("table", {},
    h("thead", {}, h("tr", {}, ["Actor", "State", "Restarts", "Last death"].map((word, at) => h("th", { key: word, scope: "col", class: at === 2 ? "number" : null }, word)))),
    h("tbody", {}, all.map((one) => row(one.name, one.alive, one.restarts, one.last_death, one.died_seconds_ago)), row(`accounts (${accounts.count})`, !accounts.dying?.length, accounts.restarts, accounts.dying?.length ? accounts.dying.join(", ") : null))));
}

function mailboxes({ mailboxes: all }) {
  const refused = all.some((one) => one.refused > 0);
  return card("Mailboxes", refused ? "warn" : "good", h("table", {},
    h("thead", {}, h("tr", {}, ["Mailbox", "Waiting", "Room", "Refused"].map((word, at) => h("th", { key: word, scope: "col", class: at ? "number" : null }, word)))),
    h("tbody", {}, all.map((one) => h("tr", { key: one.name }, h("th", { scope: "row" }, one.name), [one.waiting, one.capacity, one.refused].map((count) => h("td", { class: "number" }, count == null ? "unknown" : String(count))))))));
}

const milliseconds = (seconds) => (seconds == null ? "unknown" : `${Math.round(seconds * 10_000) / 10} ms`);

function loop({ loop: told, feed }) {
  return card("Pace", told.worst_seconds > 0.25 ? "warn" : "good", listing([
    ["Delay of the event loop", `${milliseconds(told.lag_seconds)} now, ${milliseconds(told.worst_seconds)} at worst in ${duration(told.window_seconds)}`],
    ["Live feed", `${feed.listeners} ${feed.listeners === 1 ? "listener" : "listeners"}, change ${feed.number}`],
  ]));
}

function versions({ versions: told, epoch }) {
  const names = { quota_router: "quota-router", library: "plugin library" };
  return card("Versions", "info", listing([...Object.entries(told).map(([name, version]) => [names[name] ?? name, version ?? "unknown"]), ["this life", h("code", {}, epoch)]]));
}

function limits({ limits: all }) {
  if (!all?.length) return null;
  return card("Limits that stay", "info", h("ul", { class: "lines" }, all.map((one) => h("li", { key: one.name }, one.text))));
}
