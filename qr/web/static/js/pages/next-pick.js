/** Next pick: who would serve a new session now, and why not the others. */

import { answer } from "../core/answers.js";
import { nameById } from "../core/fleet.js";
import { h } from "../core/render.js";
import { href, opening } from "../core/router.js";
import { awaited, empty } from "../parts/empty.js";
import { explanation } from "../parts/explanation.js";
import { mark } from "../parts/mark.js";
import { capital, policy, providerName } from "../say/words.js";

const SHOWN = 8; // candidates before the rest is folded away

export const next = {
  title: "Next pick",
  view() {
    const asked = answer("/next", {}, 3);
    return [head(asked.value), awaited(asked, "The next pick") ?? body(asked.value)];
  },
};

function head(value) {
  return h(
    "div.page-head",
    { key: "head" },
    h("h1", "Next pick"),
    value &&
      h(
        "p.quiet",
        `Who would serve a new session now, as far as ${value.assumed}. Policy `,
        h("a", { href: href("settings") }, value.policy),
        `: ${policy(value.policy)}.`,
      ),
  );
}

function body({ answers, mode }) {
  if (mode === "off")
    return empty({
      title: "The router is off",
      text: "The host picks by itself.",
      link: { href: href("settings"), text: "Turn it on" },
    });
  if (!answers.length)
    return empty({ title: "Nobody to pick", text: "There are no Claude or Codex accounts yet." });
  return h("div.picks", answers.map(pick));
}

function pick(one) {
  const { explained } = one;
  return h(
    "section",
    {
      key: `${one.provider} ${one.family}`,
      class: "card pick",
      "data-provider": one.provider,
      "data-family": one.family ?? "",
    },
    h(
      "header",
      h(
        "h2",
        providerName(one.provider),
        h("span.quiet", ` · ${one.family ? `${capital(one.family)} models` : "usual models"}`),
      ),
    ),
    h(
      "p.headline",
      mark(one.account ? "good" : "bad", "large"),
      h(
        "span",
        one.account
          ? h("a", { href: opening("account", one.account) }, nameById(one.account, one.account_label))
          : "Nobody",
      ),
    ),
    h(
      "p",
      `${capital(one.reason_text)}.`,
      one.shadow && h("span.quiet", " Shadow mode: the host would choose by itself."),
    ),
    explanation(explained.slice(0, SHOWN), explained),
    explained.length > SHOWN &&
      h(
        "details",
        h("summary", `${explained.length - SHOWN} more candidates`),
        explanation(explained.slice(SHOWN), explained),
      ),
  );
}
