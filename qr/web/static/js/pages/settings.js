/** Settings: what is in force, changed at once where that is safe, checked before it is saved everywhere. */

import { onlyForNow } from "../core/actions.js";
import { answer } from "../core/answers.js";
import { anything, discard, draft, save } from "../core/draft.js";
import { inWords } from "../core/host-settings.js";
import { place } from "../core/place.js";
import { h } from "../core/render.js";
import { awaited } from "../parts/empty.js";
import { mark } from "../parts/mark.js";
import { mode, policies, priorities } from "./setting-choices.js";
import { settingField } from "./setting-field.js";

const GROUPS = {
  "Who is chosen": [
    "warning_preference",
    "new_session_min_remaining",
    "five_hour_soft_limit",
    "paid_usage",
    "inherit_parent",
    "failover_max",
  ],
  "What is believed": ["max_age", "reset_jitter"],
  Polling: [
    "poll_interval",
    "reset_probe",
    "max_passive_skips",
    "proxy_url",
    "poll_user_agent",
    "claude_base_url",
    "codex_base_url",
  ],
  "Circuit breaker": ["breaker_failures", "breaker_window", "breaker_open"],
  Sessions: ["binding_ttl", "max_bindings"],
};
const APART = ["mode", "policy", "manual_priority"];

export const settings = {
  title: "Settings",
  view() {
    const asked = answer("/settings", {}, 30);
    const waiting = awaited(asked, "The settings");
    return [
      h(
        "div.page-head",
        { key: "head" },
        h("h1", "Settings"),
        asked.value && h("p.quiet", owner(asked.value)),
      ),
      waiting ?? body(asked.value),
    ];
  },
};

const HOLDS = {
  until_restart: "until the service starts again; write it into the settings file to keep it",
  until_host_reload: "until the host loads its configuration again",
};

function owner({ owner: who, generation, lasts }) {
  const ofHost = place.inHost ? IN_HOST : OF_HOST;
  const held = place.inHost || who === "host" ? ofHost : `A change made here holds ${HOLDS[lasts]}.`;
  return `Generation ${generation}. ${held}`;
}

const IN_HOST = "Kept in the host's config.yaml: changes are written there and hold at once.";

const OF_HOST = `The host's config.yaml owns them: a change made here holds until the host loads it again.
  To change them for good, use this page inside the host, or edit that file.`;

function body(value) {
  const byKey = Object.fromEntries(value.settings.map((one) => [one.key, one]));
  const readOnly = !value.writable && !onlyForNow() && !place.inHost;
  return [
    value.problems.length > 0 && refused(value.problems),
    h(
      "div.choices-of",
      { key: "apart" },
      mode(byKey.mode),
      policies(byKey.policy),
      priorities(byKey.manual_priority),
    ),
    h(
      "form",
      {
        key: "form",
        onsubmit: (event) => {
          event.preventDefault();
          save();
        },
      },
      h("div.settings", groups(value.settings, readOnly)),
      saveBar(),
    ),
  ];
}

function refused(problems) {
  return h(
    "div.banner.bad",
    { key: "refused", role: "alert" },
    mark("bad"),
    h(
      "div",
      h("p", h("b", "The newest settings were refused. "), "Those from before stay in force."),
      h(
        "ul",
        problems.map((one) => h("li", { key: one }, one)),
      ),
    ),
  );
}

function groups(all, readOnly) {
  const named = Object.values(GROUPS).flat();
  const rest = all.filter(({ key }) => !named.includes(key) && !APART.includes(key));
  const fields = (keys) => keys.map((key) => all.find((one) => one.key === key)).filter(Boolean);
  return [...Object.entries(GROUPS).map(([title, keys]) => [title, fields(keys)]), ["Service", rest]]
    .filter(([, found]) => found.length)
    .map(([title, found]) =>
      h(
        "fieldset.card",
        { key: title },
        h("legend.unseen", title),
        h("header", { "aria-hidden": "true" }, h("h2", title)),
        found.map((one) => settingField(one, readOnly)),
      ),
    );
}

function saveBar() {
  if (!anything()) return null;
  const { check, busy } = draft;
  const other = check?.errors.find((one) => !(one.key in draft.values));
  const said = !check
    ? "Checking…"
    : check.valid
      ? inWords(check.changes)
      : (other?.message ?? "Not valid yet: see the fields marked above.");
  return h(
    "div.save-bar",
    { key: "save", role: "status" },
    h("p", { class: check && !check.valid ? "bad" : "" }, said),
    h("button", { type: "button", onclick: discard }, "Discard"),
    h("button.main", { disabled: busy || !check?.valid }, onlyForNow() ? "Save for now" : "Save"),
  );
}
