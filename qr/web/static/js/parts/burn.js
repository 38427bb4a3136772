/** The burn-down of a window, with what it needs looked up; nothing where nothing can be drawn. */

import { course } from "../core/courses.js";
import { h } from "../core/render.js";
import { windowTitle } from "./meter.js";
import "../charts/burn-down.js";

/** What a burn-down shows, and what its lines mean. */
export function burnCaption(window) {
  return h(
    "figcaption.small.quiet",
    `${windowTitle(window)}, % left`,
    h("span.legend", h("i.key.even-use"), "even use", h("i.key.pace"), "at this pace"),
  );
}

/** `<burn-down>` for a window that runs, or null. */
export function burn(account, window, now, height = 120) {
  const { starts_at: from, resets_at: to, runs_dry_at: dry } = window;
  if (from == null || to == null || now >= to || window.used_percent == null) return null;
  const dryAt = dry != null && dry > now && dry < to ? dry : null;
  return h("burn-down", {
    owns: true,
    height,
    ".shown": { window, points: course(account, window, from), from, now, dryAt },
  });
}
