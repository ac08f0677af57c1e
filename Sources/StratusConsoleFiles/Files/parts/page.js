// Parts that most screens have: the heading, tabs, filters, pages, and downloads.

import { h } from "../dom.js";
import { addressOf, change, screenAddress } from "../address.js";

/** Creates the heading of a screen, with its actions. */
export function heading(title, ...actions) {
  return h("div", { class: "heading" }, h("h1", { tabindex: "-1" }, title),
    h("div", { class: "actions" }, actions));
}

/** Creates a button. Returns null if `isAllowed` is false. */
export function button(text, click, { isAllowed = true, kind, focus } = {}) {
  if (!isAllowed) return null;
  return h(
    "button", {
      type: "button", class: kind, "data-focus": focus ?? `button-${text}`, on: { click },
    }, text);
}

/**
 * Creates links between the views of one screen.
 *
 * @param {Array<{value: string, text: string}>} views the first one is the default.
 */
export function viewLinks(label, place, views, name = "view") {
  const shown = place.params[name] ?? views[0].value;
  return h("nav", { class: "tabs", "aria-label": label }, h("ul", {}, views.map((view, index) => h(
    "li", {},
    h("a", {
      href: addressOf(place.path, {
        ...place.params, [name]: index === 0 ? "" : view.value,
      }),
      "aria-current": view.value === shown ? "page" : null,
      "data-focus": `view-${view.value}`,
    }, view.text)))));
}

/** Creates a link to a screen in the present container. */
export function screenLink(path, params, ...children) {
  return h("a", { href: screenAddress(path, params) }, children);
}

/** Creates a form whose values become parameters of the address. */
export function filterForm(label, fields, button = "Show") {
  const form = h(
    "form", {
      class: "filters", "aria-label": label,
      on: {
        submit: (event) => {
          event.preventDefault();
          const params = {};
          for (const input of form.elements) {
            if (!input.name) continue;
            params[input.name] = input.type === "checkbox"
              ? (input.checked ? "yes" : "") : input.value.trim();
          }
          change({ ...params, after: "", before: "" });
        },
      },
    }, fields, h("button", { "data-focus": `filter-${label}` }, button));
  return form;
}

/** Creates links to the first and the next page of a list. Returns null for a list of one page. */
export function nextPage(place, name, position) {
  const isFirst = !place.params[name];
  if (isFirst && !position) return null;
  return h(
    "nav", { class: "pages", "aria-label": "Pages" },
    !isFirst && h("a", { href: addressOf(place.path, { ...place.params, [name]: "" }) },
      "First page"),
    position && h("a", { href: addressOf(place.path, { ...place.params, [name]: position }) },
      "Next page"));
}

/** Saves a text as a file on the person's device. */
export function download(name, type, text) {
  // NB: the type is never HTML or SVG, and the link has the attribute download, so the browser
  // never shows the text as a page of the console.
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Creates a list of names and values. */
export function facts(entries) {
  return h("dl", { class: "facts" }, entries.filter(Boolean).map(([name, value]) => h(
    "div", {}, h("dt", {}, name), h("dd", {}, value ?? "–"))));
}

/** Shows a word such as a state. The word itself has the meaning, and the colour repeats it. */
export function badge(text, kind = "") {
  return h("span", { class: `badge ${kind}` }, text);
}
