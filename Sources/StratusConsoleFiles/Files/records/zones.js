// The screen of zones.

import { h, userText } from "../dom.js";
import { change } from "../address.js";
import { database } from "../server.js";
import { report } from "../parts/announce.js";
import { askAndRun } from "../parts/dialog.js";
import { field, requestForm } from "../parts/form.js";
import { badge, button, heading, screenLink, viewLinks } from "../parts/page.js";
import { table } from "../parts/table.js";

const databases = [
  { value: "private", text: "Private" }, { value: "shared", text: "Shared" },
  { value: "public", text: "Public" },
];

export async function show(screen) {
  const { place, signal, target } = screen;
  const scope = target.database ?? "private";
  const { zones } = await database(
    { ...target, database: scope }, "zones/list", {}, { signal });
  screen.draw(
    heading("Zones"),
    viewLinks("Databases", place, databases, "database"),
    scope === "private" && newZone(screen, scope),
    table({
      caption: `Zones of the ${scope} database`, rows: zones, empty: "There are no zones.",
      columns: [
        { title: "Zone", cell: ({ zoneID }) => screenLink("/records", {
          database: scope === "public" ? "" : scope,
          zone: zoneID.zoneName === "_defaultZone" ? "" : zoneID.zoneName,
          owner: scope === "shared" ? zoneID.ownerRecordName : "",
        }, userText(zoneID.zoneName)) },
        { title: "Owner", cell: ({ zoneID }) => userText(zoneID.ownerRecordName ?? "") },
        { title: "Batches", cell: (zone) => (zone.atomic ? "atomic" : "not atomic") },
        { title: "Shared", cell: (zone) => (zone.share ? badge("whole zone") : "no") },
        { title: "Changes", cell: ({ zoneID }) => (zoneID.zoneName === "_defaultZone"
          ? "" : screenLink("/records", {
          mode: "changes", database: scope === "public" ? "" : scope, zone: zoneID.zoneName,
          owner: scope === "shared" ? zoneID.ownerRecordName : "",
        }, "Fetch")) },
        { title: "Action", cell: (zone) => (scope === "private"
          && zone.zoneID.zoneName !== "_defaultZone"
          ? button("Delete", () => remove(screen, scope, zone.zoneID), {
            kind: "quiet", focus: `delete-${zone.zoneID.zoneName}`,
          }) : "") },
      ],
    }));
}

function newZone(screen, scope) {
  return h("details", {}, h("summary", {}, "Create a zone"), requestForm({
    label: "Create a zone", button: "Create", endpoint: "zones/create",
    fields: [field({ label: "Name of the zone", name: "zoneName", required: true,
      spellcheck: "false" })],
    submit: async ({ zoneName }) => {
      await modify(screen, scope, { operationType: "create", zone: { zoneID: { zoneName } } });
      report(`The zone ${zoneName} is created.`);
      change({});
    },
  }));
}

async function modify({ target }, scope, operation) {
  const answer = await database(
    { ...target, database: scope }, "zones/modify", { operations: [operation] });
  const [zone] = answer.zones;
  if (zone.serverErrorCode) throw new Error(zone.reason);
}

async function remove(screen, scope, zoneID) {
  const done = await askAndRun({
    title: `Delete the zone ${zoneID.zoneName}?`, button: "Delete", typed: zoneID.zoneName,
    endpoint: "zones/delete", body: { ...screen.store, database: scope, zoneName: zoneID.zoneName },
    sentences: ["All records of the zone are deleted, and its shares end. This cannot be undone."],
    run: () => modify(screen, scope, { operationType: "delete", zone: { zoneID } }),
  });
  if (!done) return;
  report("The zone is deleted.");
  screen.again();
}
