// Actions for the selected records.

import { h } from "../dom.js";
import { counted } from "../time.js";
import { fieldEditor } from "../fields/editor.js";
import { ValueFault } from "../fields/values.js";
import { failureBox, report } from "../parts/announce.js";
import { askAndRun, openDialog } from "../parts/dialog.js";
import { optionOf } from "../parts/form.js";
import { button } from "../parts/page.js";
import { exportDialog } from "./exports.js";
import { deleteRecords, saveRecords } from "./save.js";

/** Creates the bar with the actions. It is hidden while no record is selected. */
export function bulkBar(context, records, selection) {
  const bar = h("div", { class: "row", role: "group", "aria-label": "Selected records" });
  const chosen = () => records.filter((record) => selection.has(record.recordName));
  const update = () => {
    const count = selection.size;
    bar.hidden = count === 0;
    if (count === 0) return;
    bar.replaceChildren(
      h("strong", { role: "status" }, `${counted(count, "record")} selected`),
      button("Change a field", () => editDialog(context, chosen(), selection), { kind: "quiet" }),
      button("Export selected", () => exportDialog(context, chosen()), { kind: "quiet" }),
      button("Delete selected", () => remove(context, [...selection], selection),
        { kind: "danger" }));
  };
  update();
  document.addEventListener("selection", update, { signal: context.screen.signal });
  return bar;
}

function editDialog(context, records, selection) {
  const names = context.fields.filter(
    (field) => !field.isSystem && field.type !== "ASSETID" && !field.isEncrypted);
  return openDialog(`Change a field of ${counted(records.length, "record")}`, (close) => {
    const place = h("div");
    const problem = h("div");
    let editor = null;
    const select = h("select", {
      id: "bulk-field", autofocus: true, on: { change: () => choose() },
    }, names.map((field) => optionOf(field.name)));
    const choose = () => {
      const field = names.find((field) => field.name === select.value);
      editor = fieldEditor(field.name, field.type, null, { label: `New value of ${field.name}` });
      place.replaceChildren(editor.element);
    };
    if (names.length === 0) return h("p", {}, "The record type has no field that can be changed.");
    choose();
    const submit = async (event) => {
      event.preventDefault();
      try {
        const value = editor.read();
        const results = await saveRecords(context, records.map((record) => ({
          record, fields: { [select.value]: value },
        })));
        const failures = results.filter((result) => result.serverErrorCode);
        if (failures.length > 0) {
          problem.replaceChildren(failureBox(new Error(
            `${counted(failures.length, "record")} of ${results.length} could not be saved: `
            + failures[0].reason)));
          return;
        }
        report(`${counted(results.length, "record")} saved.`);
        selection.clear();
        close();
        context.reload();
      } catch (error) {
        if (!(error instanceof ValueFault)) problem.replaceChildren(failureBox(error));
      }
    };
    return h("form", { on: { submit } },
      h("div", { class: "field" }, h("label", { for: "bulk-field" }, "Field"), select),
      place, problem, h("div", { class: "actions" }, h("button", {}, "Save")));
  });
}

async function remove(context, names, selection) {
  let failures = [];
  const done = await askAndRun({
    title: `Delete ${counted(names.length, "record")}?`, button: "Delete",
    endpoint: "records/delete",
    body: { ...context.screen.store, database: context.target.database },
    sentences: ["The records are deleted. This cannot be undone.",
      "Records that refer to them with DELETE_SELF are deleted, too."],
    run: async () => { ({ failures } = await deleteRecords(context, names)); },
  });
  if (!done) return;
  selection.clear();
  report(failures.length === 0 ? `${counted(names.length, "record")} deleted.`
    : `${counted(failures.length, "record")} could not be deleted: ${failures[0].reason}`);
  context.reload();
}
