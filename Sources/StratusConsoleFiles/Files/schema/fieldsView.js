// The fields of one record type, with check boxes for the index options.

import { h, userText } from "../dom.js";
import { addressOf, change } from "../address.js";
import { fieldWords } from "../fields/types.js";
import { button } from "../parts/page.js";
import { field, requestForm } from "../parts/form.js";
import { table } from "../parts/table.js";

const fieldTypes = [
  "STRING", "INT64", "DOUBLE", "TIMESTAMP", "BYTES", "LOCATION", "REFERENCE", "ASSET",
  "LIST<STRING>", "LIST<INT64>", "LIST<DOUBLE>", "LIST<TIMESTAMP>", "LIST<BYTES>",
  "LIST<LOCATION>", "LIST<REFERENCE>", "LIST<ASSET>",
  "ENCRYPTED STRING", "ENCRYPTED INT64", "ENCRYPTED DOUBLE", "ENCRYPTED TIMESTAMP",
  "ENCRYPTED BYTES", "ENCRYPTED LOCATION", "LIST<ENCRYPTED STRING>",
];

const options = [
  { key: "isQueryable", text: "Queryable" }, { key: "isSortable", text: "Sortable" },
  { key: "isSearchable", text: "Searchable" },
];

/** Creates the view. */
export function fieldsView(context) {
  const { draft, screen, mayChange, redraw } = context;
  const { params } = screen.place;
  const types = draft.model.recordTypes;
  const shown = draft.type(params.type) ?? types[0];
  return [
    h("nav", { class: "tabs", "aria-label": "Record types" }, h("ul", {}, types.map((type) => h(
      "li", {}, h("a", {
        href: addressOf("/schema", { ...params, type: type.name }),
        "aria-current": type === shown ? "page" : null, "data-focus": `type-${type.name}`,
      }, userText(type.name)))))),
    shown && fieldTable(shown, context),
    shown && mayChange && h("div", { class: "row" },
      newField(shown, context),
      shown.name !== "Users" && button(`Remove ${shown.name} from the draft`, () => {
        draft.removeType(shown.name);
        redraw();
      }, { kind: "quiet" })),
    mayChange ? newType(context) : h("p", { class: "small" },
      "Your role may read this schema and not change it."),
  ];
}

function fieldTable(type, { mayChange, redraw, draft }) {
  return table({
    caption: `Fields of ${type.name}`,
    rows: [...type.fields].sort((left, right) => left.isSystem - right.isSystem),
    columns: [
      { title: "Field", cell: (field) => [userText(field.name),
        fieldWords(field.name) !== field.name
          && h("span", { class: "small" }, ` (${fieldWords(field.name)})`)] },
      { title: "Type", cell: (field) => field.type },
      ...options.map(({ key, text }) => ({
        title: text, cell: (field) => optionBox(field, key, text, type, mayChange, redraw),
      })),
      { title: "Action", cell: (field) => (field.isSystem || !mayChange ? "" : button("Remove",
        () => {
          draft.removeField(type.name, field.name);
          redraw();
        }, { kind: "quiet", focus: `remove-${field.name}` })) },
    ],
  });
}

/** Whether fields of a type can have an index option. */
export function allowsOption(type, key) {
  if (type.includes("ENCRYPTED") || /ASSET|BYTES/.test(type)) return false;
  if (key === "isSearchable") return type === "STRING" || type === "LIST<STRING>";
  if (key === "isSortable") return !type.startsWith("LIST") && type !== "REFERENCE";
  return true;
}

function optionBox(field, key, text, type, mayChange, redraw) {
  if (!allowsOption(field.type, key)) return h("span", { class: "small" }, "–");
  return h("input", {
    type: "checkbox", checked: Boolean(field[key]), disabled: !mayChange,
    "aria-label": `${field.name} is ${text.toLowerCase()}`,
    "data-focus": `${type.name}-${field.name}-${key}`,
    on: {
      change: (event) => {
        field[key] = event.target.checked;
        redraw();
      },
    },
  });
}

function newField(type, { draft, redraw }) {
  return h("details", {}, h("summary", {}, `Add a field to ${type.name}`), requestForm({
    label: "Add a field", button: "Add to the draft",
    fields: [
      field({ label: "Name of the field", name: "name", required: true, spellcheck: "false" }),
      field({ label: "Type", name: "type", type: "select", options: fieldTypes }),
    ],
    submit: async (values) => {
      const name = checkedName(values.name);
      if (type.fields.some((field) => field.name === name)) {
        throw new Error(`The record type has a field ${name} already.`);
      }
      draft.addField(type.name, name, values.type);
      redraw();
    },
  }));
}

function newType({ draft, redraw }) {
  return h("details", {}, h("summary", {}, "Add a record type"), requestForm({
    label: "Add a record type", button: "Add to the draft",
    fields: [field({ label: "Name of the record type", name: "typeName", required: true,
      spellcheck: "false" })],
    submit: async ({ typeName }) => {
      const name = checkedName(typeName);
      if (draft.type(name)) throw new Error(`There is a record type ${name} already.`);
      draft.addType(name);
      redraw();
      change({ type: name });
    },
  }));
}

function checkedName(text) {
  const name = text.trim();
  if (!/^[A-Za-z][A-Za-z0-9_]{0,254}$/.test(name)) {
    throw new Error("A name begins with a letter and has letters, digits and underscores.");
  }
  return name;
}
