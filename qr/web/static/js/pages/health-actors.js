/** Who lives in the service, and what waits for whom. */

import { h } from "../core/render.js";
import { row, table } from "../parts/table.js";
import { duration } from "../say/time.js";

const ACTORS = ["Actor", "State", "Restarts#", "Last death"];

export function actors({ actors: all, account_actors: accounts }) {
  const dying = accounts.dying.length > 0;
  const rows = all.map((one) => line(one.name, one.alive, one.restarts, death(one)));
  const last = line(
    `accounts (${accounts.count})`,
    !dying,
    accounts.restarts,
    dying ? accounts.dying.join(", ") : null,
  );
  return {
    tone: dying || all.some((one) => !one.alive) ? "bad" : "good",
    body: table("plain", ACTORS, [...rows, last]),
  };
}

function line(name, alive, restarts, death) {
  const state = alive ? "alive" : h("span.bad", "between two lives");
  return row({ key: name }, ACTORS, [
    name,
    state,
    String(restarts),
    death ?? h("span.quiet", restarts ? "not told" : "never"),
  ]);
}

const death = ({ last_death: cause, died_seconds_ago: ago }) =>
  cause && (ago == null ? cause : `${cause}, ${duration(ago)} ago`);

const MAILBOXES = ["Mailbox", "Waiting#", "Room#", "Refused#"];

export function mailboxes({ mailboxes: all }) {
  const rows = all.map((one) =>
    row({ key: one.name }, MAILBOXES, [
      one.name,
      String(one.waiting),
      String(one.capacity),
      String(one.refused),
    ]),
  );
  return {
    tone: all.some((one) => one.refused > 0) ? "warn" : "good",
    body: table("plain", MAILBOXES, rows),
  };
}
