/** What the page knows, and telling whoever draws it that something changed. */

import { learnTime } from "./clock.js";

const KEPT = 1000; // decisions: twice what the service keeps for explanation

export const state = {
  epoch: null,
  number: 0,
  cursor: null, // of a snapshot that comes in parts: where the next part begins
  accounts: new Map(),
  decisions: new Map(), // by number; what the feed told since the page is open, and what was asked for
  bindings: new Map(), // by "provider:key": the newest word on each, null when it is gone
  settings: null,
  decisionRange: { newest: 0, oldest: 0 },
  load: null, // sessions and reserved percent by an account's fingerprint
  status: null,
  heardAt: null, // milliseconds of the browser's clock: when the service last answered
  link: { how: "connecting", problem: null, retryAt: null },
  missed: 0, // decisions that came too fast to be told one by one
};

const listeners = new Set();
const lifeListeners = new Set();
let queued = false;

/** Have *listener* called at the next frame after something changed. */
export const onChange = (listener) => listeners.add(listener);

/** Have *listener* called when the service was started anew. */
export const onNewLife = (listener) => lifeListeners.add(listener);

/** Something changed: draw at the next frame, once. */
export function changed() {
  if (queued) return;
  queued = true;
  requestAnimationFrame(() => {
    queued = false;
    for (const listener of listeners) listener();
  });
}

/** The next question to the live feed: what is newer than what is known, or the next part of a snapshot. */
export function question() {
  if (state.epoch === null) return {};
  const { number, epoch, cursor } = state;
  return { after: number, epoch, ...(cursor !== null && { next: cursor }) };
}

/** Take a message of the live feed; says whether there is more to be had at once. */
export function take(message) {
  learnTime(message.now);
  state.heardAt = Date.now();
  if (message.kind === "snapshot") takeSnapshot(message);
  else for (const change of message.changes) takeChange(change);
  state.epoch = message.epoch;
  state.number = message.number;
  state.cursor = message.kind === "snapshot" ? (message.next ?? null) : null;
  state.settings = message.settings ?? state.settings;
  state.decisionRange = message.decisions ?? state.decisionRange;
  state.load = message.load ?? state.load;
  state.status = message.status ?? state.status;
  state.missed += message.skipped ?? 0;
  changed();
  return state.cursor !== null || message.more === true;
}

function takeSnapshot(message) {
  if (message.first !== false) {
    state.accounts = new Map();
    state.bindings = new Map();
    if (state.epoch !== null && state.epoch !== message.epoch) newLife();
  }
  for (const account of message.accounts) state.accounts.set(account.id, account);
}

/** The service was started anew: numbers begin again, and nothing that it said before holds. */
function newLife() {
  state.decisions = new Map();
  for (const listener of lifeListeners) listener();
}

function takeChange({ kind, key, value }) {
  if (kind === "account") replace(state.accounts, key, value);
  if (kind === "binding") state.bindings.set(key, value);
  if (kind === "decision" && value) takeDecisions([value]);
}

function replace(map, key, value) {
  if (value === null) map.delete(key);
  else map.set(key, value);
}

/** Remember decisions; the oldest are forgotten. */
export function takeDecisions(decisions) {
  for (const decision of decisions) state.decisions.set(decision.number, decision);
  if (state.decisions.size <= KEPT) return;
  const numbers = [...state.decisions.keys()].sort((a, b) => a - b);
  for (const number of numbers.slice(0, numbers.length - KEPT)) state.decisions.delete(number);
}

/** What is said of the connection. */
export function setLink(how, problem = null, retryAt = null) {
  state.link = { how, problem, retryAt };
  changed();
}
