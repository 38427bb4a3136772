/**
 * The door: the token of the service, or the management key of the host. What is typed is kept nowhere else.
 */

import { logIn, unlock } from "../core/api.js";
import { place } from "../core/place.js";
import { h } from "../core/render.js";
import { changed } from "../core/store.js";
import { duration } from "../say/time.js";

let problem = null;
let busy = false;

/** What stands in place of the page while *barred*. */
export function gate(barred) {
  return place.inHost ? keyForm(barred) : tokenForm();
}

const WHY_A_KEY = `This page lives inside the host and shows its accounts through the host's management API.
  The key is kept in the memory of this page alone, and asked for again when it is reloaded.`;

const AFTER_REFUSAL = `Nothing more was sent since: the host bans an address after five wrong keys.
  Check the key, then try once more.`;

const WHERE_THE_TOKEN_IS = `The service prints an address that logs in when it starts.
  Open that, or paste its token here.`;

function keyForm(barred) {
  const refused = barred !== "key wanted";
  return form({
    title: refused ? "The host refused the key" : "Management key",
    text: refused ? AFTER_REFUSAL : WHY_A_KEY,
    told: barred.startsWith("refused: ") ? `The host said: ${barred.slice(9)}` : null,
    label: "Management key",
    button: "Unlock",
    done: unlock,
  });
}

function tokenForm() {
  return form({
    title: "Log in",
    text: WHERE_THE_TOKEN_IS,
    told: problem ?? HASHES[location.hash],
    label: "Token",
    button: "Log in",
    done: enter,
  });
}

const HASHES = {
  "#login=refused": "That token was refused.",
  "#login=later": "Too many attempts. Wait a little, then try again.",
};

async function enter(token) {
  busy = true;
  problem = null;
  changed();
  try {
    await logIn(token);
    if (location.hash in HASHES) history.replaceState(null, "", location.pathname);
  } catch (error) {
    problem = error.name === "wrong_token" ? "That token was refused." : error.message;
    const wait = error.told?.retry_after;
    if (wait) problem += ` Try again in ${duration(wait)}.`;
  }
  busy = false;
  changed();
}

function form({ title, text, told, label, button, done }) {
  const submit = (event) => {
    event.preventDefault();
    const field = event.target.elements.secret;
    const typed = field.value.trim();
    field.value = "";
    if (typed) done(typed);
    else field.focus();
  };
  return h(
    "form.gate",
    { onsubmit: submit, autocomplete: "off" },
    h("h1", title),
    h("p.quiet", text),
    told && h("p.bad", { role: "alert" }, told),
    h(
      "label",
      h("span", label),
      h("input", {
        name: "secret",
        type: "password",
        autocomplete: "off",
        spellcheck: "false",
        required: true,
        autofocus: true,
      }),
    ),
    h("button.main", { disabled: busy }, button),
  );
}
