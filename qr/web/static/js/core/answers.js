/**
 * Answers of the API that a view looks at, kept fresh for as long as it looks.
 *
 * A view calls `answer("/health", {}, 5)`: it gets what is known, and the question is asked anew when that
 * is older than 5 seconds. Inside the host, `/health` and `/next` come along with the one question of the
 * live feed instead (`alongside`): every request there costs the host a bcrypt comparison.
 */

import { door, get } from "./api.js";
import { everySecond } from "./clock.js";
import { place } from "./place.js";
import { changed, onNewLife } from "./store.js";

const KEPT = 200; // answers; the least recently looked at go first
const LOOKED = 2500; // milliseconds without a look after which nobody is thought to look any more
const AT_ONCE = place.inHost ? 1 : 4; // questions under way; the browser itself allows six

const known = new Map();
let underWay = 0;

const ALONGSIDE = { "/health": "health", "/next": "next" }; // what to ask for
const BROUGHT = { "/health": "health", "/next": "next_pick" }; // where it stands in the answer

/**
 * What is known of an answer: { value, problem, at }. `value` is undefined until it came.
 *
 * *maxAge* is in seconds; Infinity: once is enough, until `forget`.
 */
export function answer(path, query = {}, maxAge = Infinity) {
  const name = `${path}?${JSON.stringify(query)}`;
  const entry = known.get(name) ?? { path, query, value: undefined, problem: null, at: 0, asking: false };
  known.delete(name);
  known.set(name, entry);
  Object.assign(entry, { maxAge, lookedAt: performance.now() });
  if (known.size > KEPT) known.delete(known.keys().next().value);
  askIfDue(entry);
  return entry;
}

/** Have the answers whose path starts with *path* asked for anew at the next look. */
export function forget(path) {
  for (const entry of known.values()) if (entry.path.startsWith(path)) entry.at = 0;
  changed();
}

/** What the one question of the live feed should bring along: names for its `with`. */
export function alongside() {
  const looked = [...known.values()].filter((entry) => ALONGSIDE[entry.path] && lookedAt(entry));
  return [...new Set(looked.map((entry) => ALONGSIDE[entry.path]))];
}

/** Take what the live feed brought along. */
export function takeAlongside(message) {
  for (const entry of known.values()) {
    const value = message[BROUGHT[entry.path]];
    if (value) Object.assign(entry, { value, problem: null, at: performance.now() });
  }
}

const lookedAt = (entry) => performance.now() - entry.lookedAt < LOOKED;

function askIfDue(entry) {
  const due = entry.at === 0 || performance.now() - entry.at > entry.maxAge * 1000;
  if (!due || entry.asking || underWay >= AT_ONCE || door() || document.hidden) return;
  if (place.inHost && ALONGSIDE[entry.path]) return wish(entry);
  ask(entry);
}

let granter = () => {};

/** Have *listener* called when a view wants something brought along that never came yet. */
export const onWish = (listener) => (granter = listener);

function wish(entry) {
  if (entry.wished) return;
  entry.wished = true;
  granter();
}

async function ask(entry) {
  entry.asking = true;
  underWay += 1;
  try {
    entry.value = await get(entry.path, entry.query);
    entry.problem = null;
  } catch (problem) {
    entry.problem = problem;
  }
  entry.at = performance.now();
  entry.asking = false;
  underWay -= 1;
  changed();
}

onNewLife(() => forget("/"));

everySecond(() => {
  for (const entry of known.values()) if (lookedAt(entry)) askIfDue(entry);
});
