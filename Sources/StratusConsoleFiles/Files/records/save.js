// Saves and deletes records, and uploads their files first.

import { database, upload } from "../server.js";

/** The maximum number of operations in one request. */
export const batchSize = 200;

/**
 * Saves records.
 *
 * @param {Array<{record: object, fields: object, isNew?: boolean, isForced?: boolean,
 *   parent?: string}>} changes `fields` has the changed fields only.
 * @returns {Promise<object[]>} the saved records, or their errors, in the same order.
 */
export async function saveRecords({ target, zoneID }, changes, signal) {
  const results = [];
  for (let start = 0; start < changes.length; start += batchSize) {
    const operations = [];
    for (const change of changes.slice(start, start + batchSize)) {
      const fields = await withUploads({ target, zoneID }, change, signal);
      operations.push(operationFor(change, fields));
    }
    const answer = await database(
      target, "records/modify", { zoneID, operations, atomic: false }, { signal });
    results.push(...answer.records);
  }
  return results;
}

function operationFor({ record, isNew, isForced, parent }, fields) {
  const { recordName, recordType, recordChangeTag } = record;
  return {
    operationType: isNew ? "create" : isForced ? "forceUpdate" : "update",
    record: {
      recordName, recordType, fields,
      ...(isNew || isForced ? {} : { recordChangeTag }),
      ...(parent ? { parent: { recordName: parent } } : {}),
    },
  };
}

/** Uploads the files of a change, and returns the fields with the server's file descriptions. */
async function withUploads({ target, zoneID }, { record, fields }, signal) {
  const result = { ...fields };
  for (const [name, field] of Object.entries(fields)) {
    if (!field.file && !field.files) continue;
    const items = field.files ?? [field];
    const files = items.filter((item) => item.file);
    const { tokens } = await database(target, "assets/upload", {
      zoneID, tokens: files.map(() => ({
        recordName: record.recordName, recordType: record.recordType, fieldName: name,
      })),
    }, { signal });
    const uploaded = [];
    for (const [index, item] of files.entries()) {
      uploaded.push(await upload(tokens[index].url, item.file, signal));
    }
    const values = items.map((item) => (item.file ? uploaded.shift() : item.value));
    result[name] = { type: field.type, value: field.files ? values : values[0] };
  }
  return result;
}

/**
 * Deletes records by their names.
 *
 * @returns {Promise<{deletedCount: number, failures: object[]}>}
 */
export async function deleteRecords({ target, zoneID }, names, onProgress = () => {}, signal) {
  let deletedCount = 0;
  const failures = [];
  for (let start = 0; start < names.length; start += batchSize) {
    const operations = names.slice(start, start + batchSize).map((recordName) => ({
      operationType: "forceDelete", record: { recordName },
    }));
    const answer = await database(
      target, "records/modify", { zoneID, operations, atomic: false }, { signal });
    for (const item of answer.records) {
      if (item.serverErrorCode) failures.push(item);
      else deletedCount += 1;
    }
    onProgress(Math.min(start + batchSize, names.length));
  }
  return { deletedCount, failures };
}
