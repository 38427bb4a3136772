/** What surrounds every page: the way to the others, the connection, the scheme of colours. */

import { connectionState } from "./connection.js";
import { h } from "../core/render.js";
import { href } from "../core/router.js";
import { state } from "../core/store.js";
import { themeButton } from "./theme.js";

/** The head of the page: *pages* maps names to pages. */
export function head(pages, current) {
  return [
    h(
      "a.brand",
      { href: href("accounts"), "aria-label": "quota-router, to the accounts" },
      "quota",
      h("span", "router"),
    ),
    h(
      "nav",
      { "aria-label": "Pages" },
      Object.entries(pages).map(([name, page]) =>
        h(
          "a",
          {
            key: name,
            href: href(name),
            "data-title": page.title,
            "aria-current": name === current ? "page" : null,
          },
          page.title,
        ),
      ),
    ),
    h("div.state", modeTag(), connectionState(), themeButton()),
  ];
}

const MODES = { shadow: "Shadow: recorded, not answered", off: "Off: the host decides" };

function modeTag() {
  const mode = state.settings?.mode;
  return (
    MODES[mode] && h("a", { class: `mode ${mode}`, href: href("settings"), "data-mode": mode }, MODES[mode])
  );
}
