/**
 * Which page is shown, kept in the address: `#/accounts?q=team&sort=reset&open=window/<account>/<window>`.
 *
 * Filters and the open panel stand there too, so that what one sees can be bookmarked, sent to a colleague,
 * and left with the browser's back button.
 */

import { searchOf } from "./query.js";
import { changed } from "./store.js";

const START = "accounts";

/** The page and its parameters, as the address says. */
export function route() {
  const [path, search = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return { page: path || START, query: Object.fromEntries(new URLSearchParams(search)) };
}

/** The address of *page* with parameters; those without a value are left out. */
export const href = (page, query = {}) => `#/${page}${searchOf(query)}`;

/** The address of this page with some parameters changed. */
export function here(changes) {
  const { page, query } = route();
  return href(page, { ...query, ...changes });
}

/** Change parameters without a new entry in the history: what is typed into a filter. */
export function adjust(changes) {
  history.replaceState(null, "", here(changes));
  changed();
}

/** Go somewhere, with a new entry in the history. */
export function go(address) {
  if (location.hash !== address) location.hash = address;
}

/** What `open` names: a kind and its parts, "window/<account>/<window>". */
export function opened() {
  const [kind, ...parts] = (route().query.open ?? "").split("/").map(decodeURIComponent);
  return kind ? { kind, parts } : null;
}

/** The address that opens something in the panel beside the page. */
export const opening = (kind, ...parts) => here({ open: [kind, ...parts].map(encodeURIComponent).join("/") });

addEventListener("hashchange", changed);
