/** The accounts as the pages need them: sorted, grouped, named. */

import { canServe, accountState, isMain } from "../say/standing.js";
import { state } from "./store.js";

/** What an account is called: its label, or its id where it has none that can be seen. */
export const nameOf = ({ label, id }) => (UNSEEN.test(label) ? id : label);

const UNSEEN = /^[\p{C}\p{Z}]*$/u; // control and format characters, blanks

/** The same for an id that may be of an account that is gone. */
export function nameById(id, label = "") {
  const known = state.accounts.get(id);
  return known ? nameOf(known) : label || id;
}

/** How many sessions are bound to an account, and how many percent are set aside for the newest of them. */
export function loadOf(account) {
  const { sessions = {}, reserved_percent: reserved = {} } = state.load ?? {};
  return { sessions: sessions[account.fingerprint] ?? 0, reserved: reserved[account.fingerprint] ?? 0 };
}

/** All accounts with what holds of them now: [{ account, state, text }]. */
export const standings = (now) =>
  [...state.accounts.values()].map((account) => ({ account, ...accountState(account, now) }));

/** By provider, in the order of their names: [[provider, standings]]. */
export function byProvider(all) {
  const groups = new Map();
  for (const one of all) groups.set(one.account.provider, [...(groups.get(one.account.provider) ?? []), one]);
  return [...groups].sort(([a], [b]) => a.localeCompare(b));
}

export const serving = (all) => all.filter((one) => canServe(one.state));

/** The long window of an account: the weekly one, or the monthly where there is no weekly one. */
export const longWindow = ({ windows }) =>
  windows.find((one) => one.name === "weekly") ?? windows.find((one) => one.name === "monthly");

/** What runs dry first among those that can serve: { account, window } or null. */
export function firstDry(all, now) {
  return soonest(all, (window) => isMain(window) && window.runs_dry_at > now && window.runs_dry_at);
}

/** The next reset ahead: of a spent window if there is one, since that brings somebody back. */
export function nextReset(all, now) {
  const ahead = (window) => isMain(window) && window.resets_at > now && window.resets_at;
  return soonest(all, (window) => window.exhausted && ahead(window)) ?? soonest(all, ahead);
}

function soonest(all, moment) {
  let found = null;
  for (const { account } of all) {
    for (const window of account.windows) {
      const at = moment(window);
      if (at && (!found || at < found.at)) found = { account, window, at };
    }
  }
  return found;
}
