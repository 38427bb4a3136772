/** The settings that hold at once: mode, policy, manual priority. */

import { setMode, setPolicy, setPriority } from "../core/actions.js";
import { nameById } from "../core/fleet.js";
import { h } from "../core/render.js";
import { opening } from "../core/router.js";
import { capital, policy, priority } from "../say/words.js";

const MODES = {
  active: "Decide, and answer the host.",
  shadow: "Decide with bindings of its own, and answer nothing: to compare before switching on.",
  off: "Decide nothing: the host picks by itself.",
};

export const mode = (setting) => choice("Mode", setting, capital, (word) => MODES[word] ?? "", setMode);

export const policies = (setting) =>
  choice("Policy", setting, String, (word) => `${capital(policy(word))}.`, setPolicy);

function choice(title, { key, value, choices }, name, text, set) {
  return h(
    "fieldset.card.choice",
    h("legend.unseen", title),
    h("header", { "aria-hidden": "true" }, h("h2", title)),
    choices.map((word) =>
      h(
        "label",
        { key: word, class: word === value ? "current" : "" },
        h("input", {
          type: "radio",
          name: key,
          value: word,
          ".checked": word === value,
          onchange: (event) => turn(event.target, value, set),
        }),
        h("span", h("b", name(word)), h("span.small.quiet.block", text(word))),
      ),
    ),
  );
}

/** Set what was chosen; when that is refused, show again what is in force. */
async function turn(radio, value, set) {
  const all = [...radio.closest("fieldset").querySelectorAll("input")];
  if (await set(radio.value)) return;
  for (const one of all) one.checked = one.value === value;
}

export function priorities({ value }) {
  const all = Object.entries(value ?? {}).filter(([, one]) => one !== 0);
  return h(
    "section.card",
    h("header", h("h2", "Manual priority")),
    all.length ? h("ul.lines", all.map(priorityLine)) : h("p.quiet", "None: every account has 0."),
    h("p.small.quiet", "Set it in the panel of an account. Within a host tier, higher goes first."),
  );
}

function priorityLine([id, value]) {
  const name = nameById(id);
  return h(
    "li.spread",
    { key: id },
    h("a", { href: opening("account", id) }, name),
    h(
      "span",
      priority(value),
      h(
        "button.plain",
        { "aria-label": `Set the manual priority of ${name} to 0`, onclick: () => setPriority(id, 0) },
        "Set to 0",
      ),
    ),
  );
}
