/** Settings being changed but not yet saved, and what the service says of them. */

import { forget } from "./answers.js";
import { write } from "./api.js";
import { setSettings } from "./actions.js";
import { changed } from "./store.js";

const PAUSE = 400; // milliseconds without a keystroke before the service is asked

export const draft = { values: {}, check: null, busy: false };
let timer = null;

/** Note a new value; the same as in force takes the change back. */
export function alter(setting, value) {
  if (value === setting.value) delete draft.values[setting.key];
  else draft.values[setting.key] = value;
  draft.check = null;
  clearTimeout(timer);
  if (anything()) timer = setTimeout(check, PAUSE);
  changed();
}

export const anything = () => Object.keys(draft.values).length > 0;

/** What is wrong with the new value of *key*, or undefined. */
export const wrong = (key) => draft.check?.errors.find((one) => one.key === key)?.message;

export function discard() {
  clearTimeout(timer);
  Object.assign(draft, { values: {}, check: null });
  changed();
}

async function check() {
  const asked = JSON.stringify(draft.values);
  const told = await write("POST", "/settings/check", { values: draft.values }).catch((problem) => ({
    valid: false,
    errors: problem.errors.length ? problem.errors : [{ key: "", message: problem.message }],
  }));
  if (asked !== JSON.stringify(draft.values)) return; // typed on meanwhile: an answer to the past
  draft.check = told;
  changed();
}

/** Save all changes at once; they stay in the form when they are refused. */
export async function save() {
  draft.busy = true;
  changed();
  if (await setSettings(draft.values)) discard();
  draft.busy = false;
  forget("/settings");
}
