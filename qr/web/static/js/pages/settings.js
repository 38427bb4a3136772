/** Settings: what is in force, changed at once where that is safe, checked before it is saved everywhere. */

import { onlyForNow, setMode, setPolicy, setPriority } from "../core/actions.js";
import { answer } from "../core/answers.js";
import { anything, discard, draft, save } from "../core/draft.js";
import { nameById } from "../core/fleet.js";
import { inWords } from "../core/host-settings.js";
import { place } from "../core/place.js";
import { h } from "../core/render.js";
import { opening } from "../core/router.js";
import { awaited } from "../parts/empty.js";
import { mark } from "../parts/mark.js";
import { capital, policy } from "../say/words.js";
import { settingField } from "./setting-field.js";

const GROUPS = {
  "Who is chosen": ["warning_preference", "new_session_min_remaining", "five_hour_soft_limit", "paid_usage", "inherit_parent", "failover_max"],
  "What is believed": ["max_age", "reset_jitter"],
  Polling: ["poll_interval", "reset_probe", "max_passive_skips", "proxy_url", "poll_user_agent", "claude_base_url", "codex_base_url"],
  "Circuit breaker": ["breaker_failures", "breaker_window", "breaker_open"],
  Sessions: ["binding_ttl", "max_bindings"],
};
const APART = ["mode", "policy", "manual_priority"];

export const settings = {
  title: "Settings",
  view() {
    const asked = answer("/settings", {}, 30);
    const waiting = awaited(asked, "The settings");
    return [h("div", { key: "head", class: "page-head" }, h("h1", {}, "Settings"), asked.value && h("p", { class: "quiet" }, owner(asked.value))), waiting ?? body(asked.value)];
  },
};

function owner({ owner: who, generation, lasts }) {
  const generationWords = `Generation ${generation}.`;
  if (place.inHost) return `${generationWords} Kept in the host's config.yaml; changes are written there and hold at once.`;
  if (who === "host") return `${generationWords} The host's config.yaml owns them: a change made here holds until the host loads it again. To change them for good, use this page inside the host, or edit that file.`;
  return `${generationWords} A change made here holds ${lasts === "until_restart" ? "until the service starts again; write it into the settings file to keep it" : "at once"}.`;
}

function body(value) {
  const byKey = Object.fromEntries(value.settings.map((one) => [one.key, one]));
  const readOnly = !value.writable && !onlyForNow() && !place.inHost;
  return [
    value.problems.length > 0 && refused(value.problems),
    h("div", { key: "apart", class: "facts" }, mode(byKey.mode), policies(byKey.policy), priorities(byKey.manual_priority)),
    h("form", { key: "form", class: "settings", onsubmit: (event) => { event.preventDefault(); save(); } }, groups(value.settings, readOnly), saveBar()),
  ];
}

function refused(problems) {
  return h("div", { key: "refused", class: "banner bad", role: "alert" }, mark("bad"), h("div", {}, h("p", {}, h("b", {}, "The newest settings were refused. "), "Those from before stay in force."), h("ul", {}, problems.map((one) => h("li", { key: one }, one)))));
}

const MODES = {
  active: "Decide, and answer the host.",
  shadow: "Decide with bindings of its own, and answer nothing: to compare before switching on.",
  off: "Decide nothing: the host picks by itself.",
};

function mode(setting) {
  return choice("Mode", "mode", setting.value, setting.choices.map((word) => [word, capital(word), MODES[word] ?? ""]), setMode);
}

function policies(setting) {
  return choice("Policy", "policy", setting.value, setting.choices.map((word) => [word, word, policy(word)]), setPolicy);
}

function choice(title, name, current, options, set) {
  return h("fieldset", { class: "card choice" }, h("legend", { class: "unseen" }, title), h("header", { "aria-hidden": "true" }, h("h2", {}, title)),
    options.map(([value, word, text]) => h("label", { key: value, class: value === current ? "current" : "" },
      h("input", { type: "radio", name, value, ".checked": value === current, onchange: (event) => turn(event.target, current, value, set) }),
      h("span", {}, h("b", {}, word), h("span", { class: "small quiet block" }, `${capital(text)}`)))));
}

/** Set, and show what is in force again if that was refused. */
async function turn(radio, current, value, set) {
  if (await set(value)) return;
  radio.form?.reset();
  const before = document.querySelector(`input[name="${radio.name}"][value="${CSS.escape(current)}"]`);
  if (before) before.checked = true;
}

function priorities(setting) {
  const all = Object.entries(setting.value ?? {}).filter(([, value]) => value !== 0);
  return h("section", { class: "card" }, h("header", {}, h("h2", {}, "Manual priority")),
    all.length ? h("ul", { class: "lines" }, all.map(([id, value]) => h("li", { key: id, class: "spread" }, h("a", { href: opening("account", id) }, nameById(id)), h("span", {}, value > 0 ? `+${value}` : String(value), h("button", { class: "plain", "aria-label": `Set the manual priority of ${nameById(id)} to 0`, onclick: () => setPriority(id, 0) }, "Set to 0"))))) : h("p", { class: "quiet" }, "None: every account has 0."),
    h("p", { class: "small quiet" }, "Set it in the panel of an account. Within a host tier, higher goes first."));
}

function groups(all, readOnly) {
  const named = Object.values(GROUPS).flat();
  const rest = all.filter(({ key }) => !named.includes(key) && !APART.includes(key));
  const fields = (keys) => keys.map((key) => all.find((one) => one.key === key)).filter(Boolean);
  return [...Object.entries(GROUPS).map(([title, keys]) => [title, fields(keys)]), ["Service", rest]]
    .filter(([, found]) => found.length)
    .map(([title, found]) => h("fieldset", { key: title, class: "card" }, h("legend", { class: "unseen" }, title), h("header", { "aria-hidden": "true" }, h("h2", {}, title)), found.map((one) => settingField(one, readOnly))));
}

function saveBar() {
  if (!anything()) return null;
  const { check, busy } = draft;
  const other = check?.errors.find((one) => !(one.key in draft.values));
  const said = !check ? "Checking…" : check.valid ? inWords(check.changes) : other?.message ?? "Not valid yet: see the fields marked above.";
  return h("div", { key: "save", class: "save-bar", role: "status" }, h("p", { class: check && !check.valid ? "bad" : "" }, said),
    h("button", { type: "button", onclick: discard }, "Discard"),
    h("button", { class: "main", disabled: busy || !check?.valid }, onlyForNow() ? "Save for now" : "Save"));
}
