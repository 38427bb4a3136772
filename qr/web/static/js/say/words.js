/** The router's own words in plain ones. A word that is not known here is shown as it is, never hidden. */

const WINDOWS = { five_hour: "5 hours", weekly: "Week", monthly: "Month" };
const SHORT = { five_hour: "5 h", weekly: "week", monthly: "month" };

/** "weekly:fable" → "Week · Fable". A window of another length limits nothing, and is named by its length. */
export function windowName(name, names = WINDOWS) {
  const [kind, family] = name.split(/:(.*)/s);
  const odd = /^(\d+)s$/.exec(kind);
  const base = names[kind] ?? (odd ? `${Math.round(odd[1] / 360) / 10} h` : kind);
  return family ? `${base} · ${capital(family)}` : base;
}

export const shortWindowName = (name) => windowName(name, SHORT);

export const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);

export const providerName = (provider) => capital(provider ?? "unknown");

const CAUSES = {
  removed: "its account was removed",
  disabled: "its account is disabled",
  auth_failed: "its account's login is dead",
  away_too_long: "its account would be away too long",
  exhausted: "its account is spent",
  circuit_open: "its account keeps failing",
  paused: "its account is paused",
  not_offered: "the host did not offer its account",
};

const POLICIES = {
  reset_first: "quota that resets first is spent first",
  quota_pressure: "most quota to spend per hour left",
  balanced: "resets first, with room in the 5 hours",
  soonest_reset: "soonest weekly reset",
};

const REASONS = {
  affinity: "stays on its account",
  inherit: "starts on its parent's account",
  pinned: "pinned by the request",
  pinned_not_offered: "the pinned account was not offered",
  paid_usage: "served by paid credits: no plan has quota left",
  no_trusted_quota: "no account has quota that is known to be there",
  shadow: "shadow: recorded, not answered",
  off: "the router is off",
  unsupported_provider: "not a Claude or Codex request",
  mixed_providers: "several providers at once are the host's to decide",
};

/** Why a decision went as it did: "failover:exhausted" → "stands in: its account is spent". */
export function reason(word) {
  const [kind, detail] = (word ?? "").split(/:(.*)/s);
  if (kind === "policy") return `new session: ${POLICIES[detail] ?? detail}`;
  if (kind === "failover") return `stand-in: ${CAUSES[detail] ?? detail}`;
  if (kind === "rebind") return `moved for good: ${CAUSES[detail] ?? detail}`;
  return REASONS[word] ?? word ?? "unknown";
}

export const policy = (name) => POLICIES[name] ?? name;

/** What sort of decision it is: it gives marks their shape and colour. */
export function sort(decision) {
  const word = (decision.would ?? decision).reason;
  if (decision.account == null && !decision.would) return "unhandled";
  if (/^(affinity|pinned)$/.test(word)) return "kept";
  if (word.startsWith("failover") || word === "paid_usage") return "failover";
  return word.startsWith("rebind") ? "rebind" : "bound";
}

export const SORTS = {
  kept: "kept on its account",
  bound: "new session",
  failover: "stand-in",
  rebind: "moved for good",
  unhandled: "left to the host",
};

const VERDICTS = {
  chosen: "chosen",
  stale: "its readings are too old to trust",
  unknown: "nothing is known of its quota",
  reset_pending: "a window passed its reset and is unread since",
  disabled: "disabled",
  login_dead: "its login is dead",
  paid_usage: "only paid credits would serve it",
  circuit_open: "it kept failing: its circuit is open",
  paused: "paused by an operator",
  not_offered: "not offered by the host",
  low_headroom: "too little left for a new session",
  warned: "the provider warned of it",
  outranked: "usable, another came first",
};

/** What was said of a candidate: "exhausted:weekly" → "its Week window is spent". */
export function verdict(word) {
  const [kind, detail] = (word ?? "").split(/:(.*)/s);
  if (kind === "exhausted" && detail) return `its ${windowName(detail)} window is spent`;
  return VERDICTS[word] ?? word ?? "unknown";
}

const FAILURES = {
  request_fault: "the request was at fault",
  quota_exhausted: "quota spent",
  rate_limited: "rate limited",
  auth_refreshable: "token expired, the host refreshes it",
  auth_permanent: "login revoked",
  overloaded: "provider overloaded",
  transient: "provider trouble",
};

export const failure = (word) => FAILURES[word] ?? word;

const SOURCES = {
  headers: "headers of a response",
  usage: "the provider's usage endpoint",
  failure: "a refused request",
};

export const source = (word) => SOURCES[word] ?? (word || "nothing told a percent yet");

const STATUSES = { allowed: "allowed", allowed_warning: "allowed, with a warning", rejected: "rejected" };

export const status = (word) => STATUSES[word] ?? (word || "not told");
