/** The burn-down of a window, with what it needs looked up; nothing where nothing can be drawn. */

import { course } from "../core/courses.js";
import { h } from "../core/render.js";
import "../charts/burn-down.js";

/** `<burn-down>` for a window that runs, or null. */
export function burn(account, window, now, height = 120) {
  const { starts_at: from, resets_at: to, runs_dry_at: dry } = window;
  if (from == null || to == null || now >= to || window.used_percent == null) return null;
  const dryAt = dry != null && dry > now && dry < to ? dry : null;
  return h("burn-down", { owns: true, height, ".shown": { window, points: course(account, window, from), from, now, dryAt } });
}
