// The editor of one field: an input that fits its type, for a single value or a list.

import { h, newID, visible } from "../dom.js";
import { elementOf, isList } from "./types.js";
import { fileLink, referenceLink } from "./show.js";
import { ValueFault, parseValue, valueText } from "./values.js";

const hints = {
  STRING: "text", ASSETID: "a file",
  INT64: "a whole number", DOUBLE: "a number", TIMESTAMP: "UTC, for example 2026-11-23 15:04:05",
  BYTES: "base64", LOCATION: "latitude, longitude", REFERENCE: "record name of the target",
};

/**
 * Creates the editor of a field.
 *
 * @param {string} name the name of the field.
 * @param {{type: string, value: any, isEncrypted?: boolean}} field the stored value, or null.
 * @returns {{element: HTMLElement, read: () => object, focus: () => void}} `read` returns the
 *   field dictionary to save, or `{file}` or `{files}` if files must be uploaded first. It
 *   throws a {@link ValueFault} if the input is not a value of the type.
 */
export function fieldEditor(name, type, field, { label = name } = {}) {
  if (field?.isEncrypted) return sealedEditor(label, field);
  return isList(type) ? listEditor(label, type, field) : singleEditor(label, type, field);
}

function sealedEditor(label, field) {
  return {
    element: h("div", { class: "editor-field" }, h("strong", {}, label),
      h("p", { class: "small" }, "The value is encrypted. Only the user's devices can read it.")),
    read: () => field,
    focus: () => {},
  };
}

function singleEditor(label, type, field) {
  const input = inputFor(type, field?.value);
  const id = newID("value");
  const problem = h("p", { id: `${id}-problem`, class: "alarm", role: "alert", hidden: true });
  input.control.id = id;
  input.control.setAttribute("aria-describedby", `${id}-hint ${problem.id}`);
  const clear = h("input", {
    type: "checkbox", id: `${id}-clear`, checked: field === null || field === undefined,
  });
  input.control.addEventListener("input", () => { clear.checked = false; });
  return {
    element: h(
      "div", { class: "editor-field" },
      h("div", { class: "field" }, h("label", { for: id }, label), input.element,
        h("p", { id: `${id}-hint`, class: "small" }, hints[type]),
        type === "STRING" && signsNote(String(field?.value ?? "")), problem),
      h("div", { class: "field check" }, clear, h("label", { for: `${id}-clear` }, "no value"))),
    read: () => readMarked(input.control, problem, () => (clear.checked
      ? { value: null, type } : input.read())),
    focus: () => input.control.focus(),
  };
}

/** Shows the characters of a text that an input does not show. */
function signsNote(text) {
  const shown = visible(text);
  if (shown === text) return null;
  return h("p", { class: "small" }, "The text has invisible characters: ",
    h("bdi", {}, shown.slice(0, 200)));
}

/** Reads a value. If the input is not a value of its type, marks the input. */
function readMarked(control, problem, read) {
  control.removeAttribute("aria-invalid");
  problem.hidden = true;
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ValueFault)) throw error;
    control.setAttribute("aria-invalid", "true");
    problem.textContent = error.message;
    problem.hidden = false;
    control.focus();
    throw error;
  }
}

/** Creates the input for one value: its control, the element around it, and its reader. */
function inputFor(type, value) {
  if (type === "ASSETID") return fileInput(value);
  if (type === "REFERENCE") return referenceInput(value);
  const text = valueText(type, value);
  const isLong = type === "STRING" || type === "BYTES";
  const control = isLong
    ? h("textarea", { rows: text.length > 80 || text.includes("\n") ? 6 : 2, value: text,
      dir: "auto", spellcheck: type === "STRING" ? null : "false" })
    : h("input", { type: "text", value: text, autocomplete: "off", spellcheck: "false",
      inputmode: { INT64: "numeric", DOUBLE: "decimal" }[type] });
  return {
    control, element: control,
    // NB: a location has more members than the editor shows. To keep them, the stored value is
    // returned if the text is unchanged.
    read: () => (control.value === text && value !== undefined && value !== null
      ? { value, type } : { value: parseValue(type, control.value), type }),
  };
}

function fileInput(value) {
  const control = h("input", { type: "file" });
  return {
    control,
    element: h("div", { class: "row" }, value && fileLink(value), control),
    read: () => {
      const [file] = control.files;
      if (file) return { file, type: "ASSETID" };
      if (!value) throw new ValueFault("Choose a file.");
      return { value, type: "ASSETID" };
    },
  };
}

function referenceInput(value) {
  const control = h("input", {
    type: "text", value: value?.recordName ?? "", autocomplete: "off", spellcheck: "false",
  });
  const action = h("select", {
    "aria-label": "When the target is deleted", value: value?.action ?? "NONE",
  }, h("option", { value: "NONE" }, "nothing happens"),
  h("option", { value: "DELETE_SELF" }, "this record is deleted, too"),
  h("option", { value: "VALIDATE" }, "the deletion is refused"));
  return {
    control,
    element: h("div", { class: "row" }, control, action, value && referenceLink(value)),
    read: () => ({
      type: "REFERENCE",
      value: {
        ...parseValue("REFERENCE", control.value), action: action.value,
        ...(value?.zoneID && value.recordName === control.value ? { zoneID: value.zoneID } : {}),
      },
    }),
  };
}

function listEditor(label, type, field) {
  const list = h("ul", { class: "value-list" });
  const items = [];
  const problem = h("p", { class: "alarm", role: "alert", hidden: true });
  const add = (value) => {
    const item = inputFor(elementOf(type), value);
    item.control.setAttribute("aria-label", `${label}, value ${items.length + 1}`);
    const line = h("li", {}, item.element, h("button", {
      type: "button", class: "quiet", "aria-label": `Remove value ${items.length + 1} of ${label}`,
      on: {
        click: () => {
          items.splice(items.indexOf(item), 1);
          line.remove();
          (items[items.length - 1]?.control ?? adder).focus();
        },
      },
    }, "Remove"));
    items.push(item);
    list.append(line);
    return item;
  };
  for (const value of field?.value ?? []) add(value);
  const adder = h("button", {
    type: "button", class: "quiet", on: { click: () => add(undefined).control.focus() },
  }, `Add a value to ${label}`);
  return {
    element: h("fieldset", { class: "editor-field" }, h("legend", {}, label),
      h("p", { class: "small" }, `a list of ${hints[elementOf(type)] ?? "texts"}`),
      list, problem, adder),
    read: () => {
      if (items.length === 0 && !field) return { value: null, type };
      const read = items.map((item) => readMarked(item.control, problem, item.read));
      if (read.some((item) => item.file)) return { files: read, type };
      return { value: read.map((item) => item.value), type };
    },
    focus: () => (items[0]?.control ?? adder).focus(),
  };
}
