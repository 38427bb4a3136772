/**
 * What holds of accounts and windows at this moment.
 *
 * An answer says what held when it was given, and when that changes by the mere passing of time. The page
 * goes on from there: a window whose reset passes becomes unread, not full again.
 */

/** The state of a window at *now*: the worst that is true. */
export function windowState(window, now) {
  const { resets_at: resets, stale_at: stale } = window;
  if (resets != null && now >= resets) return "reset_pending";
  if (window.exhausted && holds(window.exhausted_until, now)) return "exhausted";
  if (window.paid) return "paid";
  if (window.reset_pending) return "reset_pending";
  if (window.used_percent == null) return "unknown";
  if (window.stale || (stale != null && now >= stale)) return "stale";
  return window.warned && holds(window.warned_until, now) ? "warned" : "ok";
}

const holds = (until, now) => until == null || now < until;

/** Whether a window limits every request, and so speaks for the account. */
export const isMain = (window) => window.limits && !window.family;

// What the passing of time can bring about in an account, the worst first (the order of the API's `state`).
const ORDER = [
  "disabled",
  "login_dead",
  "exhausted",
  "paid",
  "circuit_open",
  "paused",
  "unknown",
  "reset_pending",
  "stale",
  "low",
  "half_open",
  "warned",
  "dry_soon", // a word of this page: well, but not for long
  "ok",
];
const BY_WINDOWS = new Set(["exhausted", "paid", "reset_pending", "stale", "warned"]);

/** The state of an account at *now*, and its words: those of the answer for as long as they are true. */
export function accountState(account, now) {
  const windows = account.windows.filter(isMain).map((window) => windowState(window, now));
  const found = [...windows.filter((state) => BY_WINDOWS.has(state)), own(account, windows, now)];
  if (account.windows.some((window) => isMain(window) && drySoon(window, now))) found.push("dry_soon");
  const state = ORDER[Math.min(...found.map((one) => ORDER.indexOf(one)))];
  return { state, text: state === account.state ? account.state_text : TEXTS[state] };
}

const SOON = 3 * 3600; // seconds: within the working session of an agent

/** Whether a window runs dry soon if it goes on at its average pace. */
export const drySoon = ({ runs_dry_at: at }, now) => at != null && at > now && at - now < SOON;

/** What is true of the account beside its windows. */
function own(account, windows, now) {
  const { state, circuit } = account;
  if (state === "circuit_open" && circuit.until != null && now >= circuit.until) return "half_open";
  if (!BY_WINDOWS.has(state)) return state;
  return windows.includes(state) ? state : "ok";
}

const TEXTS = {
  exhausted: "spent until its reset",
  paid: "spent: paid credits would serve",
  reset_pending: "past its reset, not read since",
  stale: "its readings are old",
  half_open: "about to be tried again",
  warned: "warned by the provider",
  dry_soon: "well, but dry soon at this pace",
  ok: "all well",
};

const AWAY = new Set(["disabled", "login_dead", "exhausted", "paid", "circuit_open", "paused"]);

/** Whether an account in *state* can serve. */
export const canServe = (state) => !AWAY.has(state);

/** How much a state asks of the operator: "bad", "warn", "away" (his own doing), "quiet" or "good". */
export function tone(state) {
  if (["login_dead", "exhausted", "circuit_open"].includes(state)) return "bad";
  if (["paid", "warned", "dry_soon", "low", "stale", "reset_pending", "half_open"].includes(state))
    return "warn";
  if (["disabled", "paused"].includes(state)) return "away";
  return state === "unknown" ? "quiet" : "good";
}
