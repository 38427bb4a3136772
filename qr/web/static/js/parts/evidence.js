/** What was really read of a window, and what else the provider said: where a number comes from. */

import { answer } from "../core/answers.js";
import { h } from "../core/render.js";
import { exactPercent } from "../say/percent.js";
import { shortSource } from "../say/words.js";
import { awaited } from "./empty.js";
import { row, table } from "./table.js";
import { time } from "./time-text.js";

const FRESH = 15; // seconds

export function evidence(account, name) {
  const asked = answer("/evidence", { account }, FRESH);
  const found = asked.value?.windows.find((one) => one.name === name);
  return h(
    "section",
    { key: "evidence" },
    h("h3", "What was read"),
    awaited(asked, "The evidence") ?? all(found),
  );
}

function all(found) {
  if (!found) return h("p.quiet", "Nothing is kept of this window.");
  return [
    found.readings.length ? readings(found.readings) : h("p.quiet", "No percent was read."),
    said(found.said),
  ];
}

const HEADS = ["Read", "Used", "Resets", "From", "Believed"];

function readings(list) {
  return table(
    "readings",
    HEADS,
    list.map((one) =>
      row({ key: `${one.at} ${one.used_percent} ${one.resets_at}` }, HEADS, [
        time(one.at, "seconds"),
        [exactPercent(one.used_percent), one.paid && " (paid credits)"],
        one.unstarted ? "not started" : time(one.resets_at, "clock", "not told"),
        shortSource(one.source),
        one.believed ? "yes" : "no",
      ]),
    ),
  );
}

function said(list) {
  if (!list.length) return null;
  return [
    h("h3", "What else was said"),
    h(
      "ul.lines",
      list.map((one) =>
        h(
          "li",
          { key: `${one.what} ${one.at}` },
          time(one.at, "seconds"),
          ` ${one.text}`,
          one.until && [" until ", time(one.until)],
        ),
      ),
    ),
  ];
}
