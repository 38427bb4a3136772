/**
 * What was done, said once at the edge of the page, with the way back. Read out politely by screen readers.
 */

import { h, patch } from "../core/render.js";
import { mark } from "./mark.js";

const LASTS = 8000; // milliseconds: long enough to read two sentences and reach "Undo"
const MOST = 4;

let toasts = [];
let count = 0;

/**
 * Say *text*; `back` is { label, run } for the way back; a toast that `stays` goes only when it is replaced.
 *
 * Returns a handle whose `replace` says something else in the same place.
 */
export function say(text, { tone = "info", back = null, stays = false } = {}) {
  const toast = { key: (count += 1) };
  toasts = [...toasts.slice(1 - MOST), toast];
  const set = (words, options = {}) => {
    Object.assign(toast, { text: words, tone: options.tone ?? "info", back: options.back ?? null });
    if (!toasts.includes(toast)) toasts = [...toasts.slice(1 - MOST), toast];
    clearTimeout(toast.timer);
    if (!options.stays) arm(toast);
    draw();
  };
  set(text, { tone, back, stays });
  return { replace: set };
}

function arm(toast) {
  toast.timer = setTimeout(() => drop(toast), LASTS);
}

function drop(toast) {
  clearTimeout(toast.timer);
  toasts = toasts.filter((one) => one !== toast);
  draw();
}

function draw() {
  patch(document.getElementById("toasts"), toasts.map(view));
}

function view(toast) {
  const hold = () => clearTimeout(toast.timer);
  return h(
    "div.toast",
    {
      key: toast.key,
      "data-tone": toast.tone,
      onpointerenter: hold,
      onfocusin: hold,
      onpointerleave: () => arm(toast),
    },
    mark(toast.tone),
    h("p", toast.text),
    toast.back &&
      h(
        "button",
        {
          class: "plain",
          onclick: () => {
            drop(toast);
            toast.back.run();
          },
        },
        toast.back.label,
      ),
    h("button.plain.close", { "aria-label": "Dismiss", onclick: () => drop(toast) }, "×"),
  );
}
