/** The part of an address after the question mark. */

/** "?q=team&sort=reset", or nothing; *query* is told without what has no value. */
export function searchOf(query) {
  const entries = Object.entries(query).filter(([, value]) => value != null && value !== "");
  const search = new URLSearchParams(entries).toString();
  return search && `?${search}`;
}
