// Builds elements. Data becomes only text or a checked attribute, so the browser never runs it.

const linkNames = new Set(["href", "src", "action", "formaction", "xlink:href"]);
const propertyNames = new Set(["value", "checked", "disabled", "selected", "indeterminate"]);

/**
 * Creates an element of HTML.
 *
 * @param {string} name
 * @param {object} attributes `on` holds event listeners by the name of their event. A value that is
 *   null, undefined or false leaves the attribute out.
 * @param {...any} children elements, texts, numbers, or arrays of these. null is left out.
 */
export function h(name, attributes = {}, ...children) {
  return build(document.createElement(name), attributes, children);
}

/** Creates an element of SVG. */
export function svg(name, attributes = {}, ...children) {
  return build(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  append(element, children);
  // NB: the value of a select can only be set after its options exist.
  if ("value" in attributes && attributes.value != null) element.value = attributes.value;
  return element;
}

function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "on") {
    for (const [event, listener] of Object.entries(value)) {
      element.addEventListener(event, listener);
    }
  } else if (name.startsWith("on") || name === "style" || name === "srcdoc") {
    throw new Error(`the attribute '${name}' is not allowed`);
  } else if (propertyNames.has(name)) {
    element[name] = value;
  } else if (linkNames.has(name) && !isSafeLink(String(value))) {
    throw new Error(`the address '${value}' is not allowed`);
  } else {
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Whether a link leads to a page of the console, to a web page, or to a file in the browser. */
export function isSafeLink(text) {
  return /^(\/(?!\/)|[?#]|https?:\/\/|blob:)/.test(text);
}

export function append(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/**
 * Replaces the content of an element. The focus and the selected text stay in the element with the
 * same `data-focus`, because a screen draws itself again after each change.
 */
export function draw(root, ...children) {
  const active = document.activeElement;
  const isInside = active !== root && root.contains(active);
  const name = isInside ? active.dataset.focus : undefined;
  const range = isInside ? selectionOf(active) : null;
  const positions = [...root.querySelectorAll(".scroll")].map(
    (element) => [element.scrollLeft, element.scrollTop]);
  root.replaceChildren();
  append(root, children);
  for (const [index, element] of [...root.querySelectorAll(".scroll")].entries()) {
    if (positions[index]) [element.scrollLeft, element.scrollTop] = positions[index];
  }
  if (!isInside) return;
  const next = name === undefined
    ? null : root.querySelector(`[data-focus="${CSS.escape(name)}"]`);
  if (next) {
    next.focus({ preventScroll: true });
    if (range && selectionOf(next)) next.setSelectionRange(range.start, range.end);
  } else {
    // NB: if the element with the focus is removed, the browser moves the focus to the beginning of
    // the page. This disorients people who use a keyboard, so the heading gets the focus.
    document.querySelector("main h1")?.focus();
  }
}

function selectionOf(element) {
  try {
    return element.selectionStart === null || element.selectionStart === undefined
      ? null : { start: element.selectionStart, end: element.selectionEnd };
  } catch {
    return null;
  }
}

/**
 * Replaces characters that cannot be seen, or that change the direction of the text after them, by
 * visible signs.
 */
export function visible(text) {
  return String(text).replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (sign) => `⟨${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** Shows a text of a user. Its direction cannot change the text around it. */
export function userText(text, attributes = {}) {
  return h("bdi", attributes, visible(text));
}

let lastID = 0;

/** Returns a new ID, for labels and descriptions. */
export function newID(prefix) {
  lastID += 1;
  return `${prefix}-${lastID}`;
}
