// Reads records from a file, checks them, and saves them.

import { h } from "../dom.js";
import { counted } from "../time.js";
import { readCSV } from "../fields/csv.js";
import { elementOf, types as fieldTypes } from "../fields/types.js";
import { ValueFault, parseValue } from "../fields/values.js";
import { failureBox, report } from "../parts/announce.js";
import { openDialog } from "../parts/dialog.js";
import { field } from "../parts/form.js";
import { download } from "../parts/page.js";
import { table } from "../parts/table.js";
import { batchSize, saveRecords } from "./save.js";

export const limits = { bytesMax: 20 * 1_048_576, recordsMax: 20_000 };

/** Asks for a file, and shows the faults in it, or saves its records if there are none. */
export function importDialog(context) {
  return openDialog("Import records", (close) => {
    const note = h("div", { role: "status" });
    const submit = async (event) => {
      event.preventDefault();
      const [file] = event.target.elements.file.files;
      const isForced = event.target.elements.isForced.checked;
      const sender = event.target.querySelector("button");
      sender.disabled = true;
      try {
        if (!file) throw new Error("Choose a file.");
        if (file.size > limits.bytesMax) throw new Error("The file is larger than 20 MiB.");
        const { records, faults } = readRecords(
          await file.text(), file.name, context.params.type, context.fields);
        if (faults.length > 0) {
          note.replaceChildren(faultTable(faults));
          return;
        }
        await send(context, records, isForced, note, close);
      } catch (error) {
        note.replaceChildren(failureBox(error));
      } finally {
        sender.disabled = false;
      }
    };
    return h(
      "form", { on: { submit }, novalidate: true },
      h("p", {}, "A CSV file has the names of the fields in its first row, with their types: ",
        h("code", {}, "title:STRING"), ". A JSON file has the form of an export."),
      field({ label: "File", name: "file", type: "file", accept: ".csv,.json" }),
      field({ label: "Replace fields of records that exist already", name: "isForced",
        type: "check" }),
      note, h("div", { class: "actions" }, h("button", {}, "Check and import")));
  }, { isWide: true });
}

/**
 * Reads the records of a file.
 *
 * @returns {{records: object[], faults: Array<{row: number, sentence: string}>}} the row 0 stands
 *   for the whole file.
 */
export function readRecords(text, fileName, recordType, fields) {
  const faults = [];
  const rows = fileName.toLowerCase().endsWith(".json")
    ? readJSON(text, faults) : readTable(text, recordType, fields, faults);
  if (rows.length > limits.recordsMax) {
    faults.unshift({ row: 0, sentence: "The file has more than 20,000 records. Split it." });
  }
  const known = new Map(fields.filter((field) => !field.isSystem).map((field) =>
    [field.name, field.type]));
  for (const [index, record] of rows.entries()) {
    for (const [name, field] of Object.entries(record.fields)) {
      const stored = record.recordType === recordType ? known.get(name) : undefined;
      if (stored && stored !== field.type) {
        faults.push({ row: index + 1,
          sentence: `The field ${name} has the type ${stored}, not ${field.type}.` });
      }
    }
  }
  return { records: rows, faults };
}

function readJSON(text, faults) {
  let parsed;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    faults.push({ row: 0, sentence: `The file is not JSON: ${error.message}` });
    return [];
  }
  const list = Array.isArray(parsed) ? parsed : parsed?.records;
  if (!Array.isArray(list)) {
    faults.push({ row: 0, sentence: "The file has no list 'records'." });
    return [];
  }
  return list.map((record, index) => {
    const isFaulty = typeof record?.recordType !== "string"
      || typeof (record.fields ?? {}) !== "object";
    if (isFaulty) faults.push({ row: index + 1, sentence: "The record has no recordType." });
    return {
      recordName: record?.recordName, recordType: record?.recordType,
      fields: record?.fields ?? {}, parent: record?.parent?.recordName,
    };
  });
}

function readTable(text, recordType, fields, faults) {
  const [head = [], ...rows] = readCSV(text);
  const columns = head.map((title) => {
    const [name, named] = title.split(":");
    const type = named ?? fields.find((field) => field.name === name)?.type ?? "STRING";
    if (!["recordName", "recordType"].includes(name) && !fieldTypes.includes(type)) {
      faults.push({ row: 0, sentence: `The column ${title} has no known type.` });
    }
    return { name, type };
  });
  return rows.map((cells, index) => {
    const record = { recordType, fields: {} };
    for (const [place, { name, type }] of columns.entries()) {
      const cell = cells[place] ?? "";
      if (name === "recordName" || name === "recordType") record[name] = cell || record[name];
      else if (cell !== "") readCell(record, name, type, cell, index + 1, faults);
    }
    return record;
  });
}

function readCell(record, name, type, cell, row, faults) {
  try {
    if (elementOf(type) === "ASSETID") throw new ValueFault("Files cannot be imported.");
    record.fields[name] = { type, value: parseValue(type, cell) };
  } catch (error) {
    if (!(error instanceof ValueFault)) throw error;
    faults.push({ row, sentence: `${name}: ${error.message}` });
  }
}

function faultTable(faults) {
  return h("div", {},
    h("p", { class: "notice alarm", role: "alert" },
      `The file has ${counted(faults.length, "fault")}, so nothing was saved.`),
    table({
      caption: "Faults", rows: faults.slice(0, 200),
      columns: [
        { title: "Row", isNumber: true, cell: (fault) => fault.row || "–" },
        { title: "Fault", cell: (fault) => fault.sentence },
      ],
    }));
}

async function send(context, records, isForced, note, close) {
  const failures = [];
  let savedCount = 0;
  for (let start = 0; start < records.length; start += batchSize) {
    const part = records.slice(start, start + batchSize);
    let results;
    try {
      results = await saveRecords(context, part.map((record) => ({
        record: { ...record, recordName: record.recordName || crypto.randomUUID().toUpperCase() },
        fields: record.fields, parent: record.parent, isNew: !isForced, isForced,
      })));
    } catch (error) {
      failures.push(...records.slice(start).map((record) => ({ record, reason: error.message })));
      break;
    }
    for (const [index, result] of results.entries()) {
      if (result.serverErrorCode) failures.push({ record: part[index], reason: result.reason });
      else savedCount += 1;
    }
    note.textContent = `${counted(savedCount, "record")} of ${records.length} saved …`;
  }
  context.reload();
  if (failures.length === 0) {
    report(`${counted(savedCount, "record")} imported.`);
    close();
    return;
  }
  note.replaceChildren(
    h("p", { class: "notice alarm", role: "alert" },
      `${counted(savedCount, "record")} saved, ${failures.length} not: ${failures[0].reason}`),
    h("button", {
      type: "button", on: {
        click: () => download("not-imported.json", "application/json", `${JSON.stringify({
          records: failures.map(({ record, reason }) => ({ ...record, reason })),
        }, null, 2)}\n`),
      },
    }, "Save the rest as a file"));
}
