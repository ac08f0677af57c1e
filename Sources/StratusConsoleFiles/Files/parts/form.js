// Forms: labelled inputs, and a form that sends one request.

import { h, newID } from "../dom.js";
import { commandNote } from "../commands.js";
import { failureBox } from "./announce.js";

/**
 * Creates a labelled input.
 *
 * @param {object} field
 * @param {string} field.label
 * @param {string} field.name the name of the value in the form's result.
 * @param {string} [field.type] a type of `<input>`, or `select`, `area` or `check`.
 * @param {Array<string | {value: string, text: string}>} [field.options] of a select.
 * @param {string} [field.hint] a sentence below the input.
 */
export function field({ label, name, type = "text", options, hint, value, ...rest }) {
  const id = newID(name);
  const hintID = hint ? `${id}-hint` : null;
  const common = { id, name, "aria-describedby": hintID, ...rest };
  let input;
  if (type === "select") {
    input = h("select", { ...common, value }, options.map(optionOf));
  } else if (type === "area") {
    input = h("textarea", { rows: 4, ...common, value: value ?? "" });
  } else if (type === "check") {
    input = h("input", { ...common, type: "checkbox", checked: Boolean(value) });
  } else {
    input = h("input", { autocomplete: "off", ...common, type, value: value ?? "" });
  }
  const text = h("label", { for: id }, label);
  return h(
    "div", { class: type === "check" ? "field check" : "field" },
    type === "check" ? [input, text] : [text, input],
    hint && h("p", { id: hintID, class: "small" }, hint));
}

export function optionOf(option) {
  const { value, text } = typeof option === "string" ? { value: option, text: option } : option;
  return h("option", { value }, text);
}

/** Returns the values of a form by the names of its inputs. */
export function valuesOf(form) {
  const values = {};
  for (const input of form.elements) {
    if (!input.name) continue;
    values[input.name] = input.type === "checkbox" ? input.checked : input.value;
  }
  return values;
}

/**
 * Creates a form that sends one request.
 *
 * @param {object} settings
 * @param {any[]} settings.fields
 * @param {string} settings.button
 * @param {string} [settings.endpoint] the endpoint, to show the command with the same effect.
 * @param {object} [settings.body] the known part of the request's body, to show the command.
 * @param {(values: object) => Promise<any>} settings.submit its error is shown in the form.
 */
export function requestForm({ fields, button, endpoint, body = {}, submit, label }) {
  const problem = h("div");
  const sender = h("button", {}, button);
  const form = h(
    "form", {
      novalidate: true, "aria-label": label ?? button,
      on: {
        submit: async (event) => {
          event.preventDefault();
          const missing = [...form.elements].find((input) => input.required && !input.value.trim());
          if (missing) {
            const name = form.querySelector(`label[for="${missing.id}"]`)?.textContent;
            problem.replaceChildren(failureBox(new Error(`Fill in "${name}".`)));
            missing.focus();
            return;
          }
          sender.disabled = true;
          problem.replaceChildren();
          try {
            await submit(valuesOf(form));
          } catch (error) {
            if (error.name !== "AbortError") problem.replaceChildren(failureBox(error));
          } finally {
            sender.disabled = false;
          }
        },
      },
    },
    fields, problem, h("div", { class: "actions" }, sender),
    endpoint && commandNote(endpoint, body));
  return form;
}
