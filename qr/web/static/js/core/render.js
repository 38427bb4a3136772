/**
 * Descriptions of elements, and patching them into the page.
 *
 * A view is a function from state to descriptions. `patch` changes only what differs, so focus, selection and
 * scroll position survive an update, and a row whose inputs are the same (`memo`) costs nothing. Text is only
 * ever set as text: nothing that an account, a model or a session is called can become markup.
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element: h("p.quiet", { title }, "Nothing ", h("b", "to do")). Classes may follow the tag, the
 * properties may be left out, and so are null, false and empty children.
 */
export function h(selector, ...rest) {
  const [tag, ...classes] = selector.split(".");
  const props = isProps(rest[0]) ? { ...rest.shift() } : {};
  if (classes.length) props.class = [...classes, props.class].filter(Boolean).join(" ");
  return { tag, props, children: flat(rest), key: props.key, ns: null };
}

/** The same for a part of a drawing. */
export const s = (...given) => ({ ...h(...given), ns: SVG });

const isProps = (value) => value?.constructor === Object && !("tag" in value || "memo" in value);

/** A part that is described anew only when one of `inputs` is another value than before. */
export function memo(key, inputs, view) {
  return { memo: view, inputs, key };
}

const flat = (children) =>
  children.flat(Infinity).filter((child) => child != null && child !== false && child !== "");

const kept = new WeakMap(); // node → the description it was made from

/** Make the children of *host* be *descriptions*. */
export function patch(host, descriptions) {
  const wanted = flat([descriptions]);
  const keyed = new Map();
  for (const node of host.childNodes) {
    const key = kept.get(node)?.key;
    if (key !== undefined) keyed.set(key, node);
  }
  let next = host.firstChild;
  for (const description of wanted) {
    const node = reuse(next, keyed, description) ?? create(description);
    if (node === next) next = next.nextSibling;
    else host.insertBefore(node, next);
    update(node, description);
  }
  while (next) {
    const gone = next;
    next = next.nextSibling;
    gone.remove();
  }
}

function reuse(next, keyed, description) {
  const { key } = description;
  if (key !== undefined) {
    const node = keyed.get(key);
    keyed.delete(key);
    return node && fits(node, description) ? node : null;
  }
  return next && kept.get(next)?.key === undefined && fits(next, description) ? next : null;
}

function fits(node, description) {
  if (typeof description !== "object") return node.nodeType === Node.TEXT_NODE;
  const known = kept.get(node);
  return known !== undefined && known.tag === (description.memo ? known.tag : description.tag);
}

function create(description) {
  if (typeof description !== "object") return document.createTextNode("");
  const full = description.memo ? described(description) : description;
  const node = full.ns ? document.createElementNS(full.ns, full.tag) : document.createElement(full.tag);
  kept.set(node, { tag: full.tag, props: {}, key: description.key });
  return node;
}

const described = (memoized) => (memoized.made ??= memoized.memo());

function update(node, description) {
  if (typeof description !== "object") {
    const text = String(description);
    if (node.data !== text) node.data = text;
    return;
  }
  const known = kept.get(node);
  if (description.memo && same(known.inputs, description.inputs)) return;
  const full = description.memo ? described(description) : description;
  setAll(node, known.props, full.props);
  kept.set(node, { tag: full.tag, props: full.props, key: description.key, inputs: description.inputs });
  if (!full.props.owns) patch(node, full.children);
}

const same = (before, after) =>
  before?.length === after.length && before.every((value, at) => Object.is(value, after[at]));

function setAll(node, before, after) {
  for (const name in before) if (!(name in after)) set(node, name, null, before[name]);
  for (const name in after)
    if (!Object.is(before[name], after[name])) set(node, name, after[name], before[name]);
}

/**
 * One property. `on…` and names with a dot before them are properties of the node, `style` is a map of CSS
 * properties, `owns` marks an element that draws its own content; all others are attributes.
 */
function set(node, name, value, before) {
  if (name === "key" || name === "owns") return;
  if (name === "style") return setStyle(node, before ?? {}, value ?? {});
  if (name.startsWith("on")) node[name] = value;
  else if (name.startsWith(".")) node[name.slice(1)] = value;
  else if (value == null || value === false) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? "" : value);
}

function setStyle(node, before, after) {
  for (const name in before) if (!(name in after)) node.style.removeProperty(name);
  for (const name in after) if (before[name] !== after[name]) node.style.setProperty(name, after[name]);
}
