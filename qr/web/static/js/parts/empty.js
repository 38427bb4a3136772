/** A place where nothing is to be shown: what that means, and what to do. */

import { h } from "../core/render.js";

/** *title* and *text*; `link` is { href, text }, `busy` says that something is on its way. */
export function empty({ title, text, link, busy = false }) {
  return h(
    "div",
    { class: `empty ${busy ? "busy" : ""}`, role: busy ? "status" : null },
    h("h2", title),
    text && h("p.quiet", text),
    link && h("a", { href: link.href }, link.text),
  );
}

/** What stands where an answer is still to come, or was refused; null when it is there. */
export function awaited(answer, what) {
  if (answer.value !== undefined) return null;
  if (answer.problem) return empty({ title: `${what} cannot be shown`, text: answer.problem.message });
  return empty({ title: "", text: `Asking for ${what.toLowerCase()}…`, busy: true });
}
