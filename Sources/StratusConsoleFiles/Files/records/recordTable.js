// The table of records, with editors in its cells.

import { h, userText } from "../dom.js";
import { addressOf, change } from "../address.js";
import { fieldCell } from "../fields/show.js";
import { ValueFault, parseValue, valueText } from "../fields/values.js";
import { isList } from "../fields/types.js";
import { badge } from "../parts/page.js";
import { reportFailure, report } from "../parts/announce.js";
import { table } from "../parts/table.js";
import { time } from "../time.js";
import { sortsOf } from "./query.js";
import { saveRecords } from "./save.js";

/** The maximum number of columns for fields, if the address does not choose the fields. */
const columnsMax = 8;

/** Creates the table. */
export function recordTable(context, records, selection) {
  const { params, screen } = context;
  return table({
    caption: params.mode === "changes" ? "Changes" : "Records",
    rows: records, keyOf: (record) => record.recordName,
    selection: params.mode === "changes" ? undefined : selection,
    onSelect: () => document.dispatchEvent(new CustomEvent("selection")),
    onOpen: (record) => change({ record: record.recordName }),
    empty: "No record meets the conditions.",
    columns: [
      { title: "Record name", cell: (record) => nameLink(record, screen.place) },
      params.mode !== "query" && params.mode !== undefined && {
        title: "Type", cell: (record) => typeCell(record),
      },
      ...namesOf(context, records).map((name) => column(name, context)),
      { title: "Modified", ...sorting("___modTime", params),
        cell: (record) => (record.modified
          ? time(record.modified.timestamp, { isShort: true }) : "") },
    ].filter(Boolean),
  });
}

function nameLink(record, place) {
  const text = userText(record.recordName);
  if (record.deleted || record.serverErrorCode) return text;
  return h("a", {
    href: addressOf(place.path, { ...place.params, record: record.recordName }),
    "data-focus": `record-${record.recordName}`,
  }, text);
}

function typeCell(record) {
  if (record.serverErrorCode) return [badge(record.serverErrorCode, "bad"), " ", record.reason];
  if (record.deleted) return [badge("deleted"), " ", record.deletedRecordType ?? ""];
  return userText(record.recordType);
}

/** Returns the names of the fields that get columns. */
function namesOf({ params, fields }, records) {
  if (params.columns) return params.columns.split(",").map((name) => name.trim()).filter(Boolean);
  const own = fields.filter((field) => !field.isSystem)
    .sort((left, right) => rank(left) - rank(right)).map((field) => field.name);
  const used = new Set(records.flatMap((record) => Object.keys(record.fields ?? {})));
  const names = params.mode === "lookup" || params.mode === "changes"
    ? [...used]
    : own.length > columnsMax ? own.filter((name) => used.has(name)) : own;
  return names.slice(0, columnsMax);
}

/**
 * Returns the rank of a field. Texts that queries can search or sort by come first, because they
 * say what a record is. Files and bytes come last.
 */
function rank(field) {
  if (field.type === "STRING" && (field.isSearchable || field.isSortable)) return 0;
  return field.type === "ASSETID" || field.type === "BYTES" ? 2 : 1;
}

function column(name, context) {
  const field = context.fields.find((field) => field.name === name);
  const isNumber = field?.type === "INT64" || field?.type === "DOUBLE";
  return {
    title: name, isNumber, ...sorting(name, context.params, field),
    cell: (record) => fieldCell(record.fields?.[name]),
    onEdit: (record, cell) => {
      if (!record.deleted && !record.serverErrorCode) editCell(record, name, field, cell, context);
    },
  };
}

function sorting(name, params, field) {
  if (params.mode && params.mode !== "query") return {};
  if (field && (field.isSortable === false || field.type === "LOCATION")) return {};
  const { name: sorted, order } = sortsOf(params)[0] ?? {};
  const next = sorted === name && order !== "descending" ? "descending" : "ascending";
  return {
    sorted: sorted === name ? order || "ascending" : "none",
    onSort: () => change({ sort: `${name}:${next}`, after: "" }),
  };
}

/**
 * Opens an input in a cell: Enter saves, and Escape closes it without saving. For a list, a file or
 * an encrypted value, opens the editor of the record.
 */
function editCell(record, name, field, cell, context) {
  const stored = record.fields?.[name];
  const type = stored?.type ?? field?.type;
  if (!type || stored?.isEncrypted || type === "ASSETID" || isList(type)) {
    change({ record: record.recordName });
    return;
  }
  const before = [...cell.childNodes];
  const input = h(type === "STRING" ? "textarea" : "input", {
    value: valueText(type, stored?.value), "aria-label": `${name} of ${record.recordName}`,
    rows: type === "STRING" ? 2 : null,
  });
  const close = () => {
    cell.replaceChildren(...before);
    cell.tabIndex = 0;
    cell.focus();
  };
  input.addEventListener("keydown", async (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      try {
        const isEmpty = input.value === "" && type !== "STRING";
        const value = isEmpty ? null : parseValue(type, input.value);
        input.disabled = true;
        const [saved] = await saveRecords(context, [{
          record, fields: { [name]: { value, type } },
        }]);
        if (saved.serverErrorCode) throw new Error(saved.reason);
        Object.assign(record, saved);
        cell.replaceChildren();
        before.splice(0, before.length, ...[fieldCell(saved.fields?.[name])].flat().map(
          (part) => (part instanceof Node ? part : document.createTextNode(part))));
        close();
        report("The record is saved.");
      } catch (error) {
        input.disabled = false;
        input.setAttribute("aria-invalid", "true");
        input.focus();
        reportFailure(error instanceof ValueFault ? new Error(error.message) : error);
      }
    }
  });
  cell.replaceChildren(input);
  input.focus();
}
