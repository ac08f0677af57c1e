// Saves records as a file on the person's device.

import { h } from "../dom.js";
import { database } from "../server.js";
import { counted } from "../time.js";
import { csvText } from "../fields/csv.js";
import { elementOf, isList } from "../fields/types.js";
import { valueText } from "../fields/values.js";
import { failureBox, report } from "../parts/announce.js";
import { openDialog } from "../parts/dialog.js";
import { field } from "../parts/form.js";
import { download } from "../parts/page.js";
import { queryOf } from "./query.js";

/** The maximum number of records in one export. They must fit into the browser's memory. */
const recordsMax = 50_000;

/** Asks for the format of the file and for the records to export, and saves the file. */
export function exportDialog(context, records) {
  const { params } = context;
  const isQuery = !params.mode || params.mode === "query";
  return openDialog("Export records", (close) => {
    const note = h("div", { role: "status" });
    const submit = async (event) => {
      event.preventDefault();
      const { format, extent } = event.target.elements;
      try {
        const all = extent.value === "all" ? await fetchAll(context, (count) => {
          note.textContent = `${counted(count, "record")} fetched …`;
        }) : records.filter((record) => !record.deleted && !record.serverErrorCode);
        save(all, format.value, params.type ?? "records");
        report(`${counted(all.length, "record")} exported.`);
        close();
      } catch (error) {
        note.replaceChildren(failureBox(error));
      }
    };
    return h(
      "form", { on: { submit } },
      field({ label: "Form", name: "format", type: "select", options: [
        { value: "json", text: "JSON, complete" },
        { value: "csv", text: "CSV, for spreadsheets" },
      ] }),
      field({ label: "Records", name: "extent", type: "select", options: [
        { value: "shown", text: `the ${records.length} shown` },
        ...(isQuery ? [{ value: "all", text: "all that the query finds" }] : []),
      ], hint: `at most ${recordsMax.toLocaleString("en")}` }),
      h("p", { class: "small" }, "Files and encrypted values are not part of an export. In a CSV ",
        "file, a value that a spreadsheet would run as a formula begins with an apostrophe."),
      note, h("div", { class: "actions" }, h("button", {}, "Export")));
  });
}

async function fetchAll({ target, params, fields, zoneID, screen }, onProgress) {
  const records = [];
  let continuationMarker;
  do {
    const answer = await database(target, "records/query", {
      zoneID, query: queryOf(params, fields), resultsLimit: 200, continuationMarker,
    }, { signal: screen.signal });
    records.push(...answer.records);
    ({ continuationMarker } = answer);
    onProgress(records.length);
  } while (continuationMarker && records.length < recordsMax);
  return records.slice(0, recordsMax);
}

function save(records, format, name) {
  const base = name.replace(/[^\w.-]/g, "_");
  if (format === "csv") {
    download(`${base}.csv`, "text/csv", csvText(tableOf(records)));
  } else {
    const kept = records.map(({ recordName, recordType, fields, parent }) => ({
      recordName, recordType, fields: exported(fields), ...(parent ? { parent } : {}),
    }));
    download(`${base}.json`, "application/json", `${JSON.stringify({ records: kept }, null, 2)}\n`);
  }
}

function exported(fields) {
  return Object.fromEntries(Object.entries(fields).filter(
    ([, field]) => !field.isEncrypted && elementOf(field.type) !== "ASSETID"));
}

/** Returns the rows of a table: names of the columns, then one row for each record. */
export function tableOf(records) {
  const columns = new Map();
  for (const record of records) {
    for (const [name, field] of Object.entries(exported(record.fields ?? {}))) {
      columns.set(name, field.type);
    }
  }
  const names = [...columns.keys()].sort();
  const head = ["recordName", "recordType", ...names.map((name) => `${name}:${columns.get(name)}`)];
  return [head, ...records.map((record) => [
    record.recordName, record.recordType,
    ...names.map((name) => cellText(record.fields?.[name])),
  ])];
}

function cellText(field) {
  if (!field || field.value === null || field.value === undefined) return "";
  if (!isList(field.type)) return valueText(field.type, field.value);
  return field.value.map((value) => valueText(elementOf(field.type), value)).join("\n");
}
