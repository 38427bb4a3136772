/** A field to search with, a choice of few, and one from a list. */

import { nameOf } from "../core/fleet.js";
import { h } from "../core/render.js";
import { adjust } from "../core/router.js";
import { state } from "../core/store.js";

/** A search field; `/` on the keyboard goes to it. */
export function filterField(label, value, changed) {
  return h("input", {
    type: "search",
    class: "filter",
    placeholder: `${label}  ( / )`,
    "aria-label": label,
    ".value": value ?? "",
    oninput: (event) => changed(event.target.value),
  });
}

/**
 * Links of which one is the current: *options* maps names to { title }, *address* gives the link of a name.
 */
export function choices(label, options, current, address) {
  return h(
    "nav.choices",
    { "aria-label": label },
    Object.entries(options).map(([name, { title }]) =>
      h("a", { key: name, href: address(name), "aria-current": name === current ? "true" : null }, title),
    ),
  );
}

/** A choice from a list: *options* are [value, text]. */
export function select(label, options, current, changed) {
  return h(
    "label.select",
    h("span.unseen", label),
    h(
      "select",
      { onchange: (event) => changed(event.target.value) },
      options.map(([value, text]) =>
        h(
          "option",
          { key: value, value, selected: value === (current ?? ""), ".selected": value === (current ?? "") },
          text,
        ),
      ),
    ),
  );
}

/** The choice of one account or all, kept in the address of the page. */
export function accountChoice(current) {
  const accounts = [...state.accounts.values()].map((one) => [one.id, nameOf(one)]);
  return select("Account", [["", "All accounts"], ...accounts], current, (id) => adjust({ account: id }));
}
