/**
 * Questions to the service and writes, and the rules of the host's door.
 *
 * Inside the host nothing is sent before a key was typed, the key stays in this module's memory, and after
 * the first 401 or 403 nothing is sent any more: the host bans an address after five of them.
 */

import { learnTime } from "./clock.js";
import { place } from "./place.js";
import { searchOf } from "./query.js";

const PATIENCE = 15_000; // milliseconds; every answer comes at once, but for a host that is very busy

let key = null;
let barred = place.inHost ? "key wanted" : null;
const barListeners = new Set();

/** Why nothing is sent at present: "key wanted", "login wanted", "key refused"; null: the door is open. */
export const door = () => barred;

/** Have *listener* called when the door opens or shuts. */
export const onDoor = (listener) => barListeners.add(listener);

function setDoor(reason) {
  barred = reason;
  for (const listener of barListeners) listener(reason);
}

/** Take the management key that the user typed: kept in memory, sent with every request from now on. */
export function unlock(typed) {
  key = typed;
  setDoor(null);
}

/** What the service or the host said against a request. */
export class Problem extends Error {
  constructor(status, told = {}) {
    super(
      told.detail ||
        told.message ||
        told.title ||
        told.error ||
        (status ? `The answer was ${status}.` : "No connection."),
    );
    this.status = status;
    this.name = told.type?.split(":").at(-1) ?? "";
    this.errors = told.errors ?? [];
    this.told = told;
  }
}

/** GET below the API's base; what has no value in *query* is left out. */
export const get = (path, query = {}) => send("GET", place.api + path + searchOf(query));

/** A write below the API's base. */
export const write = (method, path, body) => send(method, place.api + path, body);

/** A request to an address of our own choice: the host's endpoints, the login. */
export async function send(method, url, body) {
  if (barred && !url.endsWith("/login")) throw new Problem(0, { title: barred });
  const used = key;
  const answer = await exchange(method, url, body);
  const told = await read(answer);
  if (!answer.ok) {
    judge(answer.status, told, used);
    throw new Problem(answer.status, {
      ...told,
      retry_after: Number(answer.headers.get("Retry-After")) || null,
    });
  }
  if (method === "GET") learnTime(told?.now);
  return told;
}

async function exchange(method, url, body) {
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key) headers.Authorization = `Bearer ${key}`;
  try {
    return await fetch(url, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      credentials: "same-origin",
      redirect: "error",
      signal: AbortSignal.timeout(PATIENCE),
    });
  } catch {
    throw new Problem(0, { title: "The service does not answer." });
  }
}

async function read(answer) {
  const text = await answer.text().catch(() => "");
  try {
    const told = JSON.parse(text || "null");
    return answer.headers.get("X-Quota-Router-Escaped") ? unescaped(told) : told;
  } catch {
    if (answer.ok) throw new Problem(0, { title: "The answer was no JSON." });
    return { detail: text.slice(0, 200) };
  }
}

function judge(status, told, used) {
  if (place.inHost && (status === 401 || status === 403)) {
    if (used !== key) return; // a late refusal of a key that is no longer used
    key = null;
    setDoor(status === 403 ? `refused: ${told?.error ?? told?.message ?? "forbidden"}` : "key refused");
  } else if (!place.inHost && status === 401 && told?.type?.endsWith("unauthenticated")) {
    setDoor("login wanted");
  }
}

const ENTITIES = { "&lt;": "<", "&gt;": ">", "&#34;": '"', "&#39;": "'", "&amp;": "&" };

/**
 * Texts as they were before an old host escaped them as HTML, keys untouched; in one pass: `&amp;lt;` is
 * `&lt;`.
 */
export function unescaped(told) {
  if (typeof told === "string") return told.replace(/&(?:lt|gt|amp|#34|#39);/g, (entity) => ENTITIES[entity]);
  if (Array.isArray(told)) return told.map(unescaped);
  if (told === null || typeof told !== "object") return told;
  return Object.fromEntries(Object.entries(told).map(([name, value]) => [name, unescaped(value)]));
}

/** Log in with the service's token; the answer sets a cookie. */
export async function logIn(token) {
  await send("POST", `${place.root}login`, { token });
  setDoor(null);
}
