/** Light, dark, or as the system has it; remembered by the browser where it remembers anything. */

import { h } from "../core/render.js";
import { changed } from "../core/store.js";

const NAME = "quota-router-theme";
const NEXT = { auto: "light", light: "dark", dark: "auto" };
const WORDS = { auto: "Auto", light: "Light", dark: "Dark" };

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

export function themeButton() {
  return h("button", { class: "plain theme", onclick: turn, "aria-label": `Colours: ${WORDS[theme]}. Change to ${WORDS[NEXT[theme]]}` }, WORDS[theme]);
}
