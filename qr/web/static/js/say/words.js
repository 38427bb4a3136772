/** The few words that the service's own texts leave to the page. What is not known is shown as it is. */

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const providerName = (provider) => capital(provider ?? "unknown");

/** A manual priority: "+2", "0", "-1". */
export const priority = (value) => (value > 0 ? `+${value}` : String(value));

const WINDOWS = { weekly: "week", monthly: "month" };

/** The long window in the middle of a sentence. */
export const longName = (name) => WINDOWS[name] ?? name;

const POLICIES = {
  reset_first: "quota that resets first is spent first",
  quota_pressure: "most percent left for each hour until the reset",
  balanced: "resets first, but an account whose five hours run dry comes later",
  soonest_reset: "soonest weekly reset, for setups without polling",
};

/** What a policy does, in a few words. */
export const policy = (name) => POLICIES[name] ?? name;

/** What sorts of decisions there are; each has a mark of its own. */
export const SORTS = {
  kept: "kept on its account",
  bound: "new session",
  failover: "stand-in",
  rebind: "moved for good",
  unhandled: "left to the host",
};

/** The sort of a decision; in shadow, of the choice that was kept back. */
export function sort(decision) {
  const { reason } = decision.would ?? decision;
  if (!decision.handled && !decision.would) return "unhandled";
  if (reason === "affinity" || reason === "pinned") return "kept";
  if (reason.startsWith("failover") || reason === "paid_usage") return "failover";
  return reason.startsWith("rebind") ? "rebind" : "bound";
}

const REASONS = {
  policy: "new session",
  affinity: "kept on its account",
  inherit: "with its parent",
  failover: "stand-in",
  rebind: "moved for good",
  pinned: "pinned by the host",
  paid_usage: "paid usage",
  no_trusted_quota: "no trusted quota",
  shadow: "shadow",
  off: "off",
};

/** A reason in a word or two, for lists of them: "failover:exhausted" → "stand-in: exhausted". */
export function reasonName(word) {
  const [kind, detail] = word.split(/:(.*)/s);
  const name = REASONS[kind] ?? kind.replaceAll("_", " ");
  return detail ? `${name}: ${detail.replaceAll("_", " ")}` : name;
}

const SOURCES = {
  headers: "headers of a response",
  usage: "a poll of its usage",
  failure: "a refused request",
};

/** Where a percent was read. */
export const source = (word) => SOURCES[word] ?? (word || "no percent was read");

const SHORT_SOURCES = { headers: "headers", usage: "poll", failure: "refusal" };

/** The same in one word, for a column. */
export const shortSource = (word) => SHORT_SOURCES[word] ?? word;

const STATUSES = { allowed: "allowed", allowed_warning: "allowed, with a warning", rejected: "rejected" };

/** What the provider said last of a window. */
export const status = (word) => STATUSES[word] ?? word ?? "not told";
