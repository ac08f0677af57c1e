// The screen of records: chosen by a query, by names or by changes, shown in a table.

import { h } from "../dom.js";
import { addressOf, change } from "../address.js";
import { database, manage } from "../server.js";
import { counted } from "../time.js";
import { say } from "../parts/announce.js";
import { button, heading, nextPage, viewLinks } from "../parts/page.js";
import { copyDialog } from "./copyRequest.js";
import { bulkBar } from "./bulk.js";
import { deleteByQuery } from "./deleteByQuery.js";
import { exportDialog } from "./exports.js";
import { importDialog } from "./imports.js";
import { fieldsOf, pageSize, queryOf, zoneOf } from "./query.js";
import { changesForm, lookupForm, placeForm, queryForm } from "./queryForm.js";
import { recordTable } from "./recordTable.js";
import { closeEditor, openEditor } from "./recordEditor.js";

const modes = [
  { value: "query", text: "Query" }, { value: "lookup", text: "Lookup" },
  { value: "changes", text: "Changes" },
];
/** The names of the selected records. The selection ends when other records are listed. */
let selection = new Set();
let selectedAt = "";

export async function show(screen) {
  const { place, signal, target, store } = screen;
  const [schema, zones] = await Promise.all([
    manage("schema/describe", store, { signal }), zonesOf(target, signal),
  ]);
  const types = schema.recordTypes;
  const params = { type: types[0]?.name ?? "", ...place.params };
  const recordType = types.find((type) => type.name === params.type);
  const context = {
    screen, target, params, types, recordType, fields: fieldsOf(recordType),
    zoneID: zoneOf(params), reload: screen.again,
  };
  if (selectedAt !== listAddress(params)) {
    [selection, selectedAt] = [new Set(), listAddress(params)];
  }
  let [found, failure] = [null, null];
  try {
    found = await fetchRecords(context, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    failure = error;
  }
  drawScreen(context, zones, found, failure);
  if (params.record) await openEditor(context, params.record);
  else closeEditor();
}

/** Returns the part of the address that decides which records are listed. */
function listAddress({ record, columns, ...params }) {
  return addressOf("/records", params);
}

async function zonesOf(target, signal) {
  if ((target.database ?? "public") === "public") return [];
  return (await database(target, "zones/list", {}, { signal })).zones;
}

/**
 * Returns the records, and the position of the next page. Returns null if the address does not say
 * which records to fetch.
 */
async function fetchRecords({ params, target, fields, zoneID }, signal) {
  switch (params.mode) {
    case "lookup": {
      const names = (params.names ?? "").split("\n").map((name) => name.trim()).filter(Boolean);
      if (names.length === 0) return null;
      const answer = await database(target, "records/lookup", {
        zoneID, records: names.map((recordName) => ({ recordName })),
      }, { signal });
      return { records: answer.records };
    }
    case "changes": {
      if (!zoneID) return null;
      const answer = await database(target, "changes/zone", {
        zones: [{ zoneID, syncToken: params.token, resultsLimit: pageSize }],
      }, { signal });
      const [zone] = answer.zones;
      if (zone.serverErrorCode) throw new Error(zone.reason);
      return { records: zone.records, token: zone.syncToken, moreComing: zone.moreComing };
    }
    default: {
      if (!params.type) return null;
      const answer = await database(target, "records/query", {
        zoneID, query: queryOf(params, fields), resultsLimit: pageSize,
        continuationMarker: params.after,
      }, { signal });
      return { records: answer.records, after: answer.continuationMarker };
    }
  }
}

function drawScreen(context, zones, found, failure) {
  const { screen, params, types } = context;
  const { place } = screen;
  const mode = params.mode ?? "query";
  const form = {
    query: () => queryForm({ ...place, params }, types, context.fields),
    lookup: () => lookupForm(place), changes: () => changesForm(place),
  }[mode]?.();
  screen.draw(
    heading("Records",
      button("New record", () => change({ record: "new" })),
      button("Import", () => importDialog(context)),
      found?.records.length > 0 && button("Export", () => exportDialog(context, found.records)),
      mode === "query" && button("Delete by query", () => deleteByQuery(context),
        { kind: "quiet" }),
      button("Copy request", () => copyDialog(requestOf(context)), { kind: "quiet" })),
    placeForm(place, zones),
    viewLinks("How to choose records", place, modes, "mode"),
    form, failure ? failureNote(failure, context) : results(context, found));
  if (found) say(`${counted(found.records.length, "record")} shown.`);
}

function results(context, found) {
  const { screen, params } = context;
  if (!found) {
    return h("p", { class: "empty" }, {
      lookup: "Write the names of records.",
      changes: "Choose a custom zone. Only custom zones have changes.",
    }[params.mode] ?? "The schema has no record type yet.");
  }
  return [
    bulkBar(context, found.records, selection),
    recordTable(context, found.records, selection),
    nextPage(screen.place, "after", found.after),
    found.token && h("p", {}, h("a", {
      href: addressOf(screen.place.path, { ...screen.place.params, token: found.token }),
    }, found.moreComing ? "Continue with the new token" : "Fetch again with the new token")),
  ];
}

/** Shows why a query was refused. If the schema lacks an index option, adds a link to the field. */
function failureNote(error, { screen }) {
  const match = /[Ff]ield '([^']+)' is not marked (queryable|sortable|searchable)/
    .exec(error.message);
  return h(
    "div", { class: "notice alarm", role: "alert" }, h("p", {}, error.message),
    match && h("p", {}, `The schema lacks ${match[2].toUpperCase()} for ${match[1]}. `,
      h("a", {
        href: addressOf("/schema", {
          container: screen.place.params.container,
          environment: screen.place.params.environment, type: screen.place.params.type,
        }),
      }, "Open the fields of the record type")));
}

function requestOf({ target, params, fields, zoneID }) {
  if (params.mode === "lookup") {
    const names = (params.names ?? "").split("\n").filter(Boolean);
    return { ...target, endpoint: "records/lookup",
      body: { zoneID, records: names.map((recordName) => ({ recordName })) } };
  }
  if (params.mode === "changes") {
    return { ...target, endpoint: "changes/zone",
      body: { zones: [{ zoneID: zoneID ?? { zoneName: "_defaultZone" } }] } };
  }
  return { ...target, endpoint: "records/query",
    body: { zoneID, query: queryOf(params, fields), resultsLimit: pageSize } };
}
