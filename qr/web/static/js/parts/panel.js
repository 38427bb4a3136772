/**
 * The panel beside the page: the evidence of a number, the why of a decision, all of one account.
 *
 * What it shows stands in the address (`open=`), so the back button closes it. It takes the focus when it
 * opens, and gives it back.
 */

import { h, patch } from "../core/render.js";
import { here, opened } from "../core/router.js";
import { accountPanel } from "./panel-account.js";
import { decisionPanel } from "./panel-decision.js";
import { windowPanel } from "./panel-window.js";

const KINDS = { window: windowPanel, decision: decisionPanel, account: accountPanel };

let shown = null;
let opener = null;

/** Draw the panel as the address says. */
export function drawPanel(now) {
  const host = document.getElementById("panel");
  const open = opened();
  const view = open && KINDS[open.kind];
  const name = view ? JSON.stringify(open) : null;
  if (name && !shown) opener = document.activeElement;
  host.hidden = !view;
  document.documentElement.toggleAttribute("data-panel", Boolean(view));
  patch(host, view ? frame(view(...open.parts, now)) : []);
  if (name === shown) return;
  shown = name;
  if (name) host.querySelector("h2").focus({ preventScroll: true });
  else if (opener?.isConnected) opener.focus({ preventScroll: true });
  if (name) host.scrollTop = 0;
}

function frame({ title, sub, body }) {
  document.getElementById("panel").setAttribute("aria-label", title);
  return [
    h(
      "header",
      { key: "head" },
      h("div", h("h2", { tabindex: "-1" }, title), sub && h("p.small.quiet", sub)),
      h("a", { class: "button close", href: here({ open: null }), "aria-label": "Close" }, "×"),
    ),
    h("div.body", { key: title }, body),
  ];
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && opened()) location.hash = here({ open: null });
});
