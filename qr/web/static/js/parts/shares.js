/** Counts as bars beside each other, the longest is the greatest. */

import { h } from "../core/render.js";

/** *entries* are [what, count], the greatest first. */
export function shares(entries) {
  const most = Math.max(1, entries[0]?.[1] ?? 1);
  return h(
    "ul.shares",
    { key: "shares" },
    entries.map(([what, count], at) =>
      h(
        "li",
        { key: at },
        h("span", what),
        h("span.share", { style: { "--part": `${(count / most) * 100}%` }, "aria-hidden": "true" }),
        h("span.number", String(count)),
      ),
    ),
  );
}
