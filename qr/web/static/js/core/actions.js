/**
 * What an operator can do: each action says what it did, and offers the way back where there is one.
 *
 * Mode, policy and manual priority are settings. Where a host owns them, this page writes them through the
 * host's own endpoint, or, outside the host, offers them for the time until the host loads its configuration.
 */

import { forget } from "./answers.js";
import { write } from "./api.js";
import { place } from "./place.js";
import { changed, state } from "./store.js";
import { writeThroughHost } from "./host-settings.js";
import { say } from "../parts/toasts.js";
import { duration } from "../say/time.js";
import { now } from "./clock.js";

/** Do something; tells the operator what came of it, and returns the answer, or null when it was refused. */
export async function act(path, body, method = "POST") {
  try {
    const answer = await write(method, path, body);
    told(answer);
    return answer;
  } catch (problem) {
    say(refusal(problem), { tone: "bad" });
    return null;
  }
}

function told(answer) {
  const { undo } = answer;
  const back = undo && { label: undo.label || "Undo", run: () => act(undo.path, undo.body, undo.method) };
  say(answer.done + lasting(answer.lasts), { tone: answer.changed === false ? "info" : "good", back });
  for (const path of ["/sessions", "/settings", "/next", "/health"]) forget(path);
}

const LASTS = {
  until_restart: " Until the service starts again.",
  until_host_reload: " Until the host loads its configuration again.",
};
const lasting = (lasts) => LASTS[lasts] ?? "";

function refusal(problem) {
  const { possible_at: possible } = problem.told ?? {};
  const wait = possible != null ? ` Possible again in ${duration(possible - now())}.` : "";
  const errors = problem.errors?.map((one) => ` ${one.key ?? ""}: ${one.message}`).join("") ?? "";
  return `Not done. ${problem.message}${wait}${errors}`;
}

export const pause = (account) => act("/accounts/pause", { account });
export const resume = (account) => act("/accounts/resume", { account });
export const unbind = (provider, key) => act("/sessions/unbind", { provider, key });

const refreshable = new Map(); // account → epoch second, as the last refresh told it

/** Read an account's quota now. */
export async function refresh(account) {
  const answer = await act("/accounts/refresh", { account });
  if (answer?.possible_at != null) refreshable.set(account, answer.possible_at);
  changed();
}

/** When an account can be refreshed (again), epoch seconds. */
export const refreshableAt = ({ id, polling }) =>
  Math.max(refreshable.get(id) ?? 0, polling.refresh_possible_at ?? 0);

/** Set the mode, the policy, or any settings; *values* maps keys to values, null takes a key back. */
export function setMode(mode) {
  return setting("/mode", { mode }, { mode });
}

export function setPolicy(policy) {
  return setting("/policy", { policy }, { policy });
}

/** Set the manual priority of one account. */
export function setPriority(account, priority) {
  const all = {};
  for (const one of state.accounts.values()) if (one.manual_priority) all[one.id] = one.manual_priority;
  return setting(
    "/accounts/priority",
    { account, priority },
    { manual_priority: { ...all, [account]: priority } },
  );
}

export function setSettings(values) {
  return setting("/settings", { values }, values, "PATCH");
}

/**
 * Whether a change made here is only for the time being: the host owns the settings and is not where we are.
 */
export const onlyForNow = () => state.settings?.owner === "host" && !place.inHost;

function setting(path, body, values, method = "POST") {
  if (place.inHost) return throughHost(values);
  return act(path, onlyForNow() ? { ...body, temporary: true } : body, method);
}

async function throughHost(values) {
  const working = say("Writing to the host's configuration…", { tone: "info", stays: true });
  try {
    const { done, before } = await writeThroughHost(values);
    working.replace(done, { tone: "good", back: { label: "Undo", run: () => throughHost(before) } });
    for (const path of ["/settings", "/next"]) forget(path);
    return done;
  } catch (problem) {
    working.replace(refusal(problem), { tone: "bad" });
    return null;
  }
}
