// The editor of one record, beside the table. The address names the open record.

import { h, append, userText } from "../dom.js";
import { change } from "../address.js";
import { database } from "../server.js";
import { time } from "../time.js";
import { fieldEditor } from "../fields/editor.js";
import { ValueFault, isSameField } from "../fields/values.js";
import { fieldEditorsOrder } from "./fieldOrder.js";
import { types as fieldTypes } from "../fields/types.js";
import { failureBox, report } from "../parts/announce.js";
import { askAndRun, openDialog } from "../parts/dialog.js";
import { field, optionOf } from "../parts/form.js";
import { button, facts } from "../parts/page.js";
import { conflictBox } from "./conflicts.js";
import { deleteRecords, saveRecords } from "./save.js";
import { sharingPanel } from "./sharing.js";

let open = null;

/** Closes the editor, because the address names no record. */
export function closeEditor() {
  open?.close();
  open = null;
}

/** Opens the editor of a record. The name `new` means a record that does not exist yet. */
export async function openEditor(context, name) {
  if (open?.name === name) return;
  closeEditor();
  const isNew = name === "new";
  const record = isNew ? newRecord(context) : await fetchRecord(context, name);
  const title = isNew ? "New record" : "Record";
  const opened = { name, close: () => {} };
  open = opened;
  openDialog(title, (close) => {
    opened.close = () => close("moved");
    return record.serverErrorCode
      ? failureBox(new Error(record.reason))
      : editorFor(context, record, isNew, () => close());
  }, { isWide: true }).then((result) => {
    if (open === opened) open = null;
    if (result !== "moved") change({ record: "" });
  });
}

function newRecord({ params }) {
  return { recordName: crypto.randomUUID().toUpperCase(), recordType: params.type, fields: {} };
}

async function fetchRecord({ target, zoneID }, recordName) {
  const answer = await database(target, "records/lookup", { zoneID, records: [{ recordName }] });
  return answer.records[0];
}

function editorFor(context, record, isNew, close) {
  const type = context.types.find((type) => type.name === record.recordType);
  const problem = h("div");
  const editors = new Map();
  const list = h("div");
  const add = (name, fieldType) => {
    const editor = fieldEditor(name, fieldType, record.fields[name]);
    editors.set(name, editor);
    list.append(editor.element);
    return editor;
  };
  for (const { name, type: fieldType } of fieldEditorsOrder(type, record)) add(name, fieldType);
  const nameField = field({
    label: "Record name", name: "recordName", value: record.recordName, required: true,
    spellcheck: "false",
  });
  const parentField = field({
    label: "Parent", name: "parent", value: record.parent?.recordName ?? "", spellcheck: "false",
    hint: "the record name of the parent, for sharing a hierarchy",
  });
  const save = async ({ isForced = false } = {}) => {
    const fields = changedFields(record, editors);
    const parent = parentField.querySelector("input").value.trim();
    const recordName = isNew ? nameField.querySelector("input").value.trim() : record.recordName;
    const [saved] = await saveRecords(context, [{
      record: { ...record, recordName }, fields, isNew, isForced,
      parent: parent === (record.parent?.recordName ?? "") ? "" : parent,
    }]);
    if (saved.serverErrorCode) throw Object.assign(new Error(saved.reason), { item: saved });
    report(isNew ? "The record is created." : "The record is saved.");
    close();
    context.reload();
  };
  return h(
    "form", {
      novalidate: true, "aria-label": "Record",
      on: { submit: (event) => {
        event.preventDefault();
        trySaving(save, record, editors, problem);
      } },
    },
    isNew ? nameField : metadata(record),
    h("h3", {}, "Fields"), list, newFieldRow(add, editors),
    record.recordType !== "cloudkit.share" && parentField, problem,
    h("div", { class: "actions" },
      h("button", {}, isNew ? "Create" : "Save"),
      !isNew && button("Delete", () => remove(context, record, close), { kind: "danger" })),
    !isNew && sharingPanel(context, record));
}

async function trySaving(save, record, editors, problem) {
  problem.replaceChildren();
  try {
    await save();
  } catch (error) {
    if (error instanceof ValueFault) return;
    const server = error.item?.serverRecord;
    append(problem, [server
      ? conflictBox(record, server, editors, () => trySaving(
        () => save({ isForced: true }), record, editors, problem))
      : failureBox(error)]);
  }
}

function changedFields(record, editors) {
  const fields = {};
  for (const [name, editor] of editors) {
    const read = editor.read();
    if (read.file || read.files || !isSameField(read, record.fields[name])) fields[name] = read;
  }
  return fields;
}

function metadata(record) {
  const stamp = (stamp) => stamp && [time(stamp.timestamp), " by ",
    userText(stamp.userRecordName ?? "unknown")];
  return facts([
    ["Record name", userText(record.recordName)], ["Record type", userText(record.recordType)],
    ["Zone", userText(record.zoneID?.zoneName ?? "_defaultZone")],
    ["Created", stamp(record.created)], ["Modified", stamp(record.modified)],
    ["Change tag", h("code", {}, record.recordChangeTag)],
  ]);
}

/** Creates the row that adds a field which the record type does not have yet. */
function newFieldRow(add, editors) {
  const name = h("input", { type: "text", "aria-label": "Name of the new field", size: 16 });
  const type = h("select", { "aria-label": "Type of the new field" },
    fieldTypes.map((type) => optionOf(type)));
  return h("details", {}, h("summary", {}, "Add another field"),
    h("div", { class: "row" }, name, type, button("Add field", () => {
      const text = name.value.trim();
      if (!/^[A-Za-z]\w{0,254}$/.test(text) || editors.has(text)) {
        name.setAttribute("aria-invalid", "true");
        name.focus();
        return;
      }
      name.value = "";
      add(text, type.value).focus();
    })),
    h("p", { class: "small" }, "In development, the schema gets the field with the first save. ",
      "In production, the save is refused."));
}

async function remove(context, record, close) {
  const done = await askAndRun({
    title: "Delete the record?", button: "Delete", endpoint: "records/delete",
    body: { ...context.screen.store, database: context.target.database },
    sentences: [
      `The record ${record.recordName} is deleted. This cannot be undone.`,
      "Records that refer to it with DELETE_SELF are deleted, too.",
    ],
    run: async () => {
      const { failures } = await deleteRecords(context, [record.recordName]);
      if (failures.length > 0) throw new Error(failures[0].reason);
    },
  });
  if (!done) return;
  report("The record is deleted.");
  close();
  context.reload();
}
