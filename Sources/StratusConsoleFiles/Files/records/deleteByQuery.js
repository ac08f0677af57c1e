// Deletes the records that meet the conditions of a query, after a dry run.

import { h } from "../dom.js";
import { database } from "../server.js";
import { counted } from "../time.js";
import { failureBox, report } from "../parts/announce.js";
import { askAndRun, openDialog } from "../parts/dialog.js";
import { deleteRecords } from "./save.js";
import { queryOf } from "./query.js";

/** The maximum number of records that one run deletes. To delete more, the person repeats it. */
const recordsMax = 20_000;

/** Counts the records, and asks before it deletes them. */
export async function deleteByQuery(context) {
  const aborter = new AbortController();
  const names = await openDialog("Delete by query: dry run", (close) => {
    const note = h("p", { role: "status" }, "The records are being counted …");
    findNames(context, (count) => {
      note.textContent = `${counted(count, "record")} found so far …`;
    }, aborter.signal).then(close, (error) => {
      if (error.name !== "AbortError") note.replaceChildren(failureBox(error));
    });
    return note;
  });
  aborter.abort();
  if (!names) return;
  if (names.length === 0) {
    report("No record meets the conditions.");
    return;
  }
  let result = { deletedCount: 0, failures: [] };
  const done = await askAndRun({
    title: `Delete ${counted(names.length, "record")}?`, button: "Delete",
    endpoint: "records/delete", typed: String(names.length),
    body: { ...context.screen.store, database: context.target.database },
    sentences: [
      `The query finds ${counted(names.length, "record")} of the type ${context.params.type}.`,
      "These records are deleted. Records that are saved from now on are kept.",
      names.length === recordsMax
        ? `There may be more: one run deletes at most ${recordsMax.toLocaleString("en")}.` : "",
    ].filter(Boolean),
    run: async () => { result = await deleteRecords(context, names); },
  });
  if (!done) return;
  const rest = result.failures.length > 0
    ? ` ${counted(result.failures.length, "record")} could not be deleted: `
      + result.failures[0].reason
    : "";
  report(`${counted(result.deletedCount, "record")} deleted.${rest}`);
  context.reload();
}

/** Returns the names of the records that the query finds, at most `recordsMax`. */
async function findNames({ target, params, fields, zoneID }, onProgress, signal) {
  const names = [];
  let continuationMarker;
  do {
    const answer = await database(target, "records/query", {
      zoneID, query: queryOf(params, fields), desiredKeys: [], resultsLimit: 200,
      continuationMarker,
    }, { signal });
    names.push(...answer.records.map((record) => record.recordName));
    ({ continuationMarker } = answer);
    onProgress(names.length);
  } while (continuationMarker && names.length < recordsMax);
  return names.slice(0, recordsMax);
}
