// The screen of subscriptions.

import { h, userText } from "../dom.js";
import { database, manage } from "../server.js";
import { report } from "../parts/announce.js";
import { askAndRun } from "../parts/dialog.js";
import { field, requestForm } from "../parts/form.js";
import { badge, button, heading, viewLinks } from "../parts/page.js";
import { table } from "../parts/table.js";

const databases = [
  { value: "private", text: "Private" }, { value: "shared", text: "Shared" },
  { value: "public", text: "Public" },
];

export async function show(screen) {
  const { place, signal, target, store } = screen;
  const scope = target.database ?? "private";
  const inScope = { ...target, database: scope };
  const [{ subscriptions }, schema] = await Promise.all([
    database(inScope, "subscriptions/list", {}, { signal }),
    manage("schema/describe", store, { signal }),
  ]);
  screen.draw(
    heading("Subscriptions"),
    h("p", {}, "These are your own subscriptions. Subscriptions of other users are never shown."),
    viewLinks("Databases", place, databases, "database"),
    newSubscription(screen, inScope, schema.recordTypes),
    table({
      caption: `Subscriptions in the ${scope} database`, rows: subscriptions,
      empty: "You have no subscriptions here.",
      columns: [
        { title: "ID", cell: (subscription) => userText(subscription.subscriptionID) },
        { title: "Kind", cell: (subscription) => badge(subscription.subscriptionType) },
        { title: "Watches", cell: (subscription) => userText(targetOf(subscription)) },
        { title: "Fires on", cell: (subscription) => (subscription.firesOn ?? ["changes"])
          .join(", ") },
        { title: "Notification", cell: ({ notificationInfo = {} }) => userText(
          notificationInfo.alertBody ?? notificationInfo.alertLocalizationKey
            ?? (notificationInfo.shouldSendContentAvailable ? "silent" : "none")) },
        { title: "Action", cell: (subscription) => button("Delete",
          () => remove(screen, inScope, subscription.subscriptionID), {
            kind: "quiet", focus: `delete-${subscription.subscriptionID}`,
          }) },
      ],
    }));
}

function targetOf({ query, zoneID, recordType }) {
  if (query) {
    const filters = (query.filterBy ?? []).map((filter) =>
      `${filter.fieldName ?? filter.systemFieldName} ${filter.comparator}`);
    return [query.recordType, ...filters].join(", ");
  }
  return [zoneID?.zoneName ?? "the whole database", recordType].filter(Boolean).join(", ");
}

function newSubscription(screen, target, recordTypes) {
  const kinds = target.database === "public"
    ? ["query"] : target.database === "private" ? ["query", "zone", "database"] : ["database"];
  return h("details", {}, h("summary", {}, "Create a subscription"), requestForm({
    label: "Create a subscription", button: "Create", endpoint: "subscriptions/create",
    fields: [
      field({ label: "ID", name: "id", required: true, spellcheck: "false" }),
      field({ label: "Kind", name: "kind", type: "select", options: kinds }),
      field({ label: "Record type", name: "recordType", type: "select",
        options: recordTypes.map((type) => type.name), hint: "for the kind query" }),
      field({ label: "Zone", name: "zoneName", hint: "for the kind zone", spellcheck: "false" }),
      field({ label: "Text of the alert", name: "alertBody", hint: "empty for a silent one" }),
    ],
    submit: async (values) => {
      await modify(target, { operationType: "create", subscription: subscriptionOf(values) });
      report("The subscription is created.");
      screen.again();
    },
  }));
}

function subscriptionOf({ id, kind, recordType, zoneName, alertBody }) {
  return {
    subscriptionID: id, subscriptionType: kind,
    ...(kind === "query"
      ? { query: { recordType, filterBy: [] }, firesOn: ["create", "update", "delete"] } : {}),
    ...(kind === "zone" ? { zoneID: { zoneName: zoneName || "_defaultZone" } } : {}),
    notificationInfo: alertBody ? { alertBody } : { shouldSendContentAvailable: true },
  };
}

async function modify(target, operation) {
  const answer = await database(target, "subscriptions/modify", { operations: [operation] });
  const [subscription] = answer.subscriptions;
  if (subscription.serverErrorCode) throw new Error(subscription.reason);
}

async function remove(screen, target, subscriptionID) {
  const done = await askAndRun({
    title: "Delete the subscription?", button: "Delete", endpoint: "subscriptions/delete",
    body: { ...screen.store, database: target.database, subscriptionID },
    sentences: [`Your devices get no more notifications of ${subscriptionID}.`],
    run: () => modify(target, { operationType: "delete", subscription: { subscriptionID } }),
  });
  if (!done) return;
  report("The subscription is deleted.");
  screen.again();
}
