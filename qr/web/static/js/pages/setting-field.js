/**
 * One setting as a field of a form: what it does, its value, its default, what is wrong with what was typed.
 */

import { alter, draft, wrong } from "../core/draft.js";
import { h } from "../core/render.js";
import { duration } from "../say/time.js";

export function settingField(setting, readOnly) {
  const { key, text, restart, environment, changed } = setting;
  const error = wrong(key);
  const drafted = key in draft.values;
  const id = `setting-${key}`;
  return h(
    "div",
    { key, class: `setting ${drafted ? "drafted" : ""}`, "data-key": key },
    h(
      "label",
      { for: id },
      h("code", key),
      changed && h("span.tag", "changed"),
      restart && h("span.tag.warn", "needs a restart"),
    ),
    h("p", { class: "small quiet", id: `${id}-text` }, text, " ", byDefault(setting)),
    h(
      "div.value",
      control(setting, id, readOnly || Boolean(environment && setting.from_environment), error),
      unit(setting),
    ),
    error && h("p", { class: "small bad", id: `${id}-error`, role: "alert" }, error),
  );
}

function control(setting, id, disabled, error) {
  const { key, type, choices } = setting;
  const value = key in draft.values ? draft.values[key] : setting.value;
  const common = {
    id,
    disabled,
    "aria-describedby": error ? `${id}-text ${id}-error` : `${id}-text`,
    "aria-invalid": error ? "true" : null,
  };
  if (type === "boolean")
    return h("input", {
      ...common,
      type: "checkbox",
      ".checked": value === true,
      onchange: (event) => alter(setting, event.target.checked),
    });
  if (type === "enum")
    return h(
      "select",
      { ...common, onchange: (event) => alter(setting, event.target.value) },
      choices.map((word) => h("option", { key: word, value: word, ".selected": word === value }, word)),
    );
  const written = setting.secret
    ? key in draft.values
      ? (value ?? "")
      : ""
    : value == null
      ? ""
      : String(value);
  return h("input", {
    ...common,
    type: setting.secret ? "password" : "text",
    inputmode: type === "string" ? null : "decimal",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: placeholder(setting),
    ".value": written,
    oninput: (event) => alter(setting, read(setting, event.target.value)),
  });
}

function placeholder({ secret, value, default: usual }) {
  if (secret) return value ? "set; type to replace it" : "not set";
  return usual == null ? "" : String(usual);
}

/** What was typed, as the service wants it; nothing takes the setting back to where it started. */
function read({ type }, typed) {
  const text = typed.trim();
  if (text === "") return null;
  if ((type === "number" || type === "integer") && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return text;
}

function unit({ key, unit: word, value }) {
  const now = key in draft.values ? draft.values[key] : value;
  if (word === "seconds" && typeof now === "number" && now >= 120)
    return h("span.small.quiet", `seconds = ${duration(now)}`);
  return word && h("span.small.quiet", word);
}

function byDefault({ default: usual, range, type }) {
  const allowed = range && type !== "enum" && type !== "boolean" ? `${range}; ` : "";
  return h("span.facts-of", `(${allowed}default ${usual == null ? "none" : String(usual)})`);
}
