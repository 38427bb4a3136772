/** The dashboard: which page is shown, and when it is drawn. */

import { door, onDoor } from "./core/api.js";
import { everySecond, now } from "./core/clock.js";
import { noteReadings } from "./core/courses.js";
import { connect } from "./core/live.js";
import { patch } from "./core/render.js";
import { route } from "./core/router.js";
import { changed, onChange } from "./core/store.js";
import { lostBar } from "./parts/connection.js";
import { gate } from "./parts/gate.js";
import { drawPanel } from "./parts/panel.js";
import { head } from "./parts/shell.js";
import { strip } from "./parts/strip.js";
import { accounts } from "./pages/accounts.js";
import { activity } from "./pages/activity.js";
import { health } from "./pages/health.js";
import { history } from "./pages/history.js";
import { next } from "./pages/next-pick.js";
import { sessions } from "./pages/sessions.js";
import { settings } from "./pages/settings.js";

const PAGES = { accounts, sessions, activity, history, next, settings, health };

const part = (id) => document.getElementById(id);
let page = null;

function draw() {
  const { page: name, query } = route();
  const shown = name in PAGES ? name : "accounts";
  const focus = document.activeElement;
  patch(part("head"), head(PAGES, shown));
  patch(part("lost"), lostBar() ?? []);
  if (door()) drawGate();
  else drawPage(shown, query);
  // A row that moved has lost the focus on its way.
  if (document.activeElement === document.body && focus?.isConnected) focus.focus({ preventScroll: true });
}

function drawGate() {
  patch(part("strip"), []);
  patch(part("main"), gate(door()));
  patch(part("panel"), []);
  part("panel").hidden = true;
  page = null;
}

function drawPage(name, query) {
  noteReadings();
  patch(part("strip"), strip(now()) ?? []);
  if (page !== name) {
    patch(part("main"), []); // nothing of one page is mistaken for a part of another
    document.title = `${PAGES[name].title} · quota-router`;
    enter(page === null);
    page = name;
  }
  patch(part("main"), PAGES[name].view({ query, now: now() }));
  drawPanel(now());
}

/** Another page begins at its top, for eyes and for screen readers. */
function enter(first) {
  part("head").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  if (first) return;
  scrollTo(0, 0);
  part("main").focus({ preventScroll: true });
}

addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, select, textarea");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const field = document.querySelector("#main .filter");
  if (field) event.preventDefault();
  field?.focus();
});

// The address after the # names a page, so the jump over the head is made by hand.
document.querySelector(".skip").onclick = (event) => {
  event.preventDefault();
  part("main").focus();
};

onChange(draw);
onDoor(changed);
everySecond(changed);
connect();
changed();
