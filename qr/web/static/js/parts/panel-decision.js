/** Why a request went where it went. */

import { answer } from "../core/answers.js";
import { nameById } from "../core/fleet.js";
import { h } from "../core/render.js";
import { href, opening } from "../core/router.js";
import { state } from "../core/store.js";
import { capital, providerName } from "../say/words.js";
import { empty } from "./empty.js";
import { explanation } from "./explanation.js";
import { listing } from "./listing.js";
import { time } from "./time-text.js";

export function decisionPanel(number) {
  const asked = answer("/decision", { number });
  const decision = asked.value?.decision ?? state.decisions.get(Number(number));
  const title = `Decision ${number}`;
  if (!decision)
    return {
      title,
      body: empty(
        asked.problem
          ? { title: "It is no longer kept", text: asked.problem.message }
          : { title: "", text: "Asking why…", busy: true },
      ),
    };
  return {
    title,
    sub: time(decision.at, "seconds"),
    body: [
      outcome(decision),
      asked.value ? why(asked.value) : h("p.quiet", asked.problem?.message ?? "Asking why…"),
      request(decision, asked.value),
    ],
  };
}

function outcome(decision) {
  const { would } = decision;
  const account = would?.account ?? decision.account;
  const label = would?.account_label ?? decision.account_label;
  const words = would?.reason_text ?? decision.reason_text;
  return h(
    "div.summary",
    { key: "outcome" },
    h(
      "p.big",
      account
        ? [
            would ? "Would have gone to " : "Went to ",
            h("a", { href: opening("account", account) }, nameById(account, label)),
          ]
        : "Left to the host",
    ),
    h("p", capital(words), "."),
    would && h("p.small.quiet", "Shadow mode: the choice was recorded, and the host chose by itself."),
  );
}

function why({ explained }) {
  return h(
    "section",
    { key: "why" },
    h(
      "h3",
      explained.length
        ? `${explained.length === 1 ? "The one candidate" : `All ${explained.length} candidates`}`
        : "No candidates were weighed",
    ),
    explanation(explained),
  );
}

function request(decision, whole) {
  const { session, parent, binding = whole?.binding } = decision;
  return h(
    "section",
    { key: "request" },
    h("h3", "The request"),
    listing([
      ["Provider", decision.provider ? providerName(decision.provider) : "not one"],
      ["Model", h("code", decision.model || "not named")],
      [
        "Session",
        session
          ? h("a", { href: href("activity", { session: session.key }) }, h("code", session.fingerprint))
          : "none was named: no binding, and no affinity",
      ],
      parent && ["Parent session", h("code", parent.fingerprint)],
      decision.pinned && ["Pinned to", nameById(decision.pinned)],
      ["Binding", binding ? bindingWords(binding) : "none"],
      ["Reason", h("code", decision.would?.reason ?? decision.reason)],
      ["Mode and policy", `${decision.mode}, ${decision.policy}`],
    ]),
  );
}

function bindingWords({ account, stand_in: standIn, bound_at: at }) {
  return [nameById(account), standIn && [", with ", nameById(standIn), " standing in"], ", since ", time(at)];
}
