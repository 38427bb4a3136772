/** Facts as pairs of a term and what is known of it. */

import { h } from "../core/render.js";

/** *pairs* of [term, what]; a pair whose second part is undefined is left out. */
export function listing(pairs, classes = "") {
  const kept = pairs.filter((pair) => pair && pair[1] !== undefined);
  return h(
    "dl",
    { class: `listing ${classes}` },
    kept.map(([term, what]) => h("div", { key: term }, h("dt", term), h("dd", what))),
  );
}
