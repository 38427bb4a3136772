/**
 * Settings written through the host's own endpoint: its `config.yaml` stays the single source of truth.
 *
 * First our check (the host validates nothing), then the host's PATCH, which answers before it has loaded the
 * file; then we wait until the service tells a new generation of settings, or what is wrong with them.
 */

import { Problem, send, write } from "./api.js";
import { place } from "./place.js";
import { state } from "./store.js";

const PATIENCE = 30_000; // milliseconds; hosts reload within two or three seconds
const LOOK = 250; // milliseconds between looks at what the live feed brought: no requests

/**
 * Change settings, wait until they are in force.
 *
 * Returns what was done in words, and the values that lead back (null: the key did not stand in the file).
 */
export async function writeThroughHost(values) {
  const checked = await write("POST", "/settings/check", { values });
  if (!checked.valid)
    throw new Problem(422, { detail: "The settings in force stay in force.", errors: checked.errors });
  const patch = checked.patch ?? values;
  const file = (await send("GET", place.config)) ?? {};
  const before = Object.fromEntries(Object.keys(patch).map((key) => [key, file[key] ?? null]));
  const generation = state.settings?.generation ?? 0;
  await send("PATCH", place.config, patch);
  if (checked.changes?.length) await inForce(generation);
  return { done: `${inWords(checked.changes)} Written to the host's configuration.`, before };
}

async function inForce(generation) {
  const until = Date.now() + PATIENCE;
  while (Date.now() < until) {
    const { generation: reached = 0, problems = [] } = state.settings ?? {};
    if (reached > generation) return;
    if (problems.length)
      throw new Problem(422, { detail: `The service refused the new settings: ${problems.join("; ")}` });
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
  throw new Problem(504, { detail: "The host took the change, but has not handed it on yet." });
}

/** "policy is balanced now (was reset_first)." */
export function inWords(changes = []) {
  if (!changes.length) return "Nothing changed.";
  const one = ({ key, old, new: fresh }) => `${key} is ${shown(fresh)} now (was ${shown(old)})`;
  return `${changes.map(one).join("; ")}.`;
}

const shown = (value) =>
  value !== null && typeof value === "object" ? JSON.stringify(value) : String(value ?? "not set");
