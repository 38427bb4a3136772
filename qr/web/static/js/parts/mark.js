/** The mark of a tone: its shape says as much as its colour. */

import { s } from "../core/render.js";

const SHAPES = {
  good: () => s("circle", { cx: 8, cy: 8, r: 4.5 }),
  info: () => s("circle.hollow", { cx: 8, cy: 8, r: 4 }),
  quiet: () => s("circle.hollow.dashed", { cx: 8, cy: 8, r: 4 }),
  warn: () => [s("path", { d: "M8 2l6.5 11.5h-13z" }), s("path.cut", { d: "M8 6v4M8 11.2v1.3" })],
  bad: () => [
    s("path", { d: "M5 1.5h6l3.5 3.5v6l-3.5 3.5h-6l-3.5-3.5v-6z" }),
    s("path.cut", { d: "M5.5 5.5l5 5m0-5l-5 5" }),
  ],
  away: () => s("path", { d: "M4 3h3v10h-3zM9 3h3v10h-3z" }),
};

/** A mark of 16 pixels; the words beside it say the same, so a screen reader skips it. */
export function mark(tone, classes = "") {
  return s(
    "svg",
    {
      class: `mark-of ${tone} ${classes}`,
      width: 16,
      height: 16,
      viewBox: "0 0 16 16",
      "aria-hidden": "true",
    },
    SHAPES[tone](),
  );
}

const LEVELS = { ok: "good", info: "info", warning: "warn", error: "bad" };

/** The tone of a level of the service's status. */
export const toneOf = (level) => LEVELS[level] ?? "quiet";
