/** Light, dark, or as the system has it; remembered by the browser where it remembers anything. */

import { h, s } from "../core/render.js";
import { changed } from "../core/store.js";

const NAME = "quota-router-theme";
const NEXT = { auto: "light", light: "dark", dark: "auto" };
const WORDS = { auto: "as the system has them", light: "light", dark: "dark" };

function remembered() {
  try {
    return localStorage.getItem(NAME);
  } catch {
    return null; // a page in a frame may have no storage
  }
}

let theme = remembered() in NEXT ? remembered() : "auto";
apply();

function apply() {
  document.documentElement.dataset.theme = theme;
}

function turn() {
  theme = NEXT[theme];
  apply();
  try {
    localStorage.setItem(NAME, theme);
  } catch {
    // It holds for this page.
  }
  changed();
}

/** The button that goes from one to the next. */
export function themeButton() {
  const words = `Colours: ${WORDS[theme]}. Change to ${WORDS[NEXT[theme]]}`;
  return h(
    "button.plain.theme",
    { onclick: turn, "aria-label": words, title: words, "data-theme": theme },
    s(
      "svg",
      { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" },
      s("circle.ring", { cx: 8, cy: 8, r: 5.5 }),
      s("path", { d: HALVES[theme] }),
    ),
  );
}

const HALVES = {
  auto: "M8 2.5a5.5 5.5 0 0 1 0 11z",
  light: "M8 6.5a1.5 1.5 0 1 0 .01 0z",
  dark: "M8 2.5a5.5 5.5 0 1 0 .01 0z",
};
