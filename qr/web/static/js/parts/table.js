/** A table of rows that becomes a list of named facts on a phone. */

import { h } from "../core/render.js";

/**
 * *heads* are the names of the columns: `name#` is a column of numbers, an empty one holds actions. *rows*
 * are descriptions made with `row`.
 */
export function table(kind, heads, rows) {
  return h(
    "div.wide",
    { key: kind },
    h(`table.${kind}`, h("thead", h("tr", heads.map(head))), h("tbody", rows)),
  );
}

function head(name) {
  if (!name) return h("th", { key: name, scope: "col" }, h("span.unseen", "Actions"));
  return h(
    "th",
    { key: name, scope: "col", class: name.endsWith("#") ? "number" : null },
    name.replace("#", ""),
  );
}

/** One row: a cell for each of *heads*. The first one names the row. */
export function row(props, heads, cells) {
  return h(
    "tr",
    props,
    cells.map((cell, at) => {
      const name = heads[at].replace("#", "");
      const facts = { "data-name": name || null, class: heads[at].endsWith("#") ? "number" : null };
      return at === 0 ? h("th", { scope: "row", ...facts }, cell) : h("td", facts, cell);
    }),
  );
}
