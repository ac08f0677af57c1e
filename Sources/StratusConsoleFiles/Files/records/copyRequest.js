// A request as text for a terminal, for Swift, or for CloudKit JS. It contains no token.

import { h } from "../dom.js";
import { session } from "../session.js";
import { openDialog } from "../parts/dialog.js";
import { copyable } from "../parts/secret.js";

/** Shows a request for curl, for Swift and for CloudKit JS. */
export function copyDialog(request) {
  return openDialog("Copy request", () => [
    h("p", {}, "Replace the placeholders. A token never stands in these texts."),
    h("h3", {}, "curl"), copyable(curlText(request), "Copy for curl"),
    h("h3", {}, "Swift"), copyable(swiftText(request), "Copy for Swift"),
    h("h3", {}, "CloudKit JS"), copyable(scriptText(request), "Copy for CloudKit JS"),
  ], { isWide: true });
}

/** Returns the command for curl. */
export function curlText({ container, environment, database = "public", endpoint, body }) {
  const url = `${session.serverURL ?? "$STRATUS_URL"}/database/1/${container}/${environment}/`
    + `${database}/${endpoint}`;
  return `curl --fail-with-body --data ${shellQuote(JSON.stringify(body, null, 2))} \\\n`
    + "  --url-query \"ckAPIToken=$STRATUS_API_TOKEN\" \\\n"
    + "  --url-query \"ckWebAuthToken=$STRATUS_WEB_AUTH_TOKEN\" \\\n"
    + `  ${shellQuote(url)}`;
}

function shellQuote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns code for the CloudKit framework. */
export function swiftText({ container, database = "public", endpoint, body }) {
  const head = `let container = CKContainer(identifier: ${swiftString(container)})\n`
    + `let database = container.${database}CloudDatabase\n`;
  if (endpoint === "records/query") return head + swiftQuery(body);
  if (endpoint === "records/lookup") {
    const names = (body.records ?? []).map(({ recordName }) =>
      `CKRecord.ID(recordName: ${swiftString(recordName)}${swiftZone(body.zoneID)})`);
    return `${head}let results = try await database.records(for: [\n  ${names.join(",\n  ")}\n])`;
  }
  if (endpoint === "changes/zone") {
    const zoneID = body.zones?.[0]?.zoneID ?? {};
    return `${head}let changes = try await database.recordZoneChanges(\n`
      + `  inZoneWith: CKRecordZone.ID(zoneName: ${swiftString(zoneID.zoneName)}), since: nil)`;
  }
  return `${head}// The endpoint ${endpoint} has no form of one line in Swift.`;
}

function swiftQuery({ query, zoneID, resultsLimit }) {
  const formats = [];
  const values = [];
  for (const filter of query.filterBy ?? []) {
    const [format, value] = predicateOf(filter);
    formats.push(format);
    values.push(...value);
  }
  const predicate = formats.length === 0 ? "NSPredicate(value: true)"
    : `NSPredicate(\n    format: ${[swiftString(formats.join(" AND ")), ...values].join(", ")})`;
  const descriptors = (query.sortBy ?? []).map((sort) => (sort.relativeLocation
    ? `CKLocationSortDescriptor(key: ${swiftString(frameworkName(sort))}, relativeLocation: `
      + `${swiftValue({ type: "LOCATION", value: sort.relativeLocation })})`
    : `NSSortDescriptor(key: ${swiftString(frameworkName(sort))}, ascending: ${sort.ascending})`));
  const sorts = descriptors.length === 0 ? []
    : [`query.sortDescriptors = [\n  ${descriptors.join(",\n  ")},\n]\n`];
  return `let query = CKQuery(\n  recordType: ${swiftString(query.recordType)},\n`
    + `  predicate: ${predicate})\n${sorts.join("")}`
    + `let (results, cursor) = try await database.records(\n  matching: query`
    + `${zoneID ? `, inZoneWith: CKRecordZone.ID(zoneName: ${swiftString(zoneID.zoneName)})` : ""}`
    + `, resultsLimit: ${resultsLimit ?? 100})`;
}

const signs = {
  EQUALS: "=", NOT_EQUALS: "!=", LESS_THAN: "<", LESS_THAN_OR_EQUALS: "<=", GREATER_THAN: ">",
  GREATER_THAN_OR_EQUALS: ">=", IN: "IN", BEGINS_WITH: "BEGINSWITH", LIST_CONTAINS: "CONTAINS",
};
const systemNames = {
  ___createTime: "creationDate", ___modTime: "modificationDate", ___recordID: "recordID",
  ___createdBy: "creatorUserRecordID", ___modifiedBy: "lastModifiedUserRecordID",
};

function frameworkName({ fieldName, systemFieldName }) {
  return fieldName ?? systemNames[systemFieldName] ?? systemFieldName;
}

function predicateOf(filter) {
  const name = frameworkName(filter);
  const value = swiftValue(filter.fieldValue);
  if (filter.comparator === "NEAR") {
    return [`distanceToLocation:fromLocation:(${name}, %@) < ${filter.distance}`, [value]];
  }
  if (/TOKENS$/.test(filter.comparator)) return ["self CONTAINS %@", [value]];
  const sign = signs[filter.comparator];
  if (sign) return [`${name} ${sign} %@`, [value]];
  const positive = signs[filter.comparator.replace(/^NOT_/, "")];
  return [positive ? `NOT (${name} ${positive} %@)` : `${name} ${filter.comparator} %@`, [value]];
}

function swiftValue({ type, value } = {}) {
  if (value === undefined) return "<#value#>";
  if (Array.isArray(value)) {
    const items = value.map((item) => swiftValue({ type: type.slice(0, -5), value: item }));
    return `[${items.join(", ")}]`;
  }
  switch (type) {
    case "INT64": case "DOUBLE": return `NSNumber(value: ${value})`;
    case "TIMESTAMP": return `Date(timeIntervalSince1970: ${Number(value) / 1_000}) as NSDate`;
    case "LOCATION":
      return `CLLocation(latitude: ${value.latitude}, longitude: ${value.longitude})`;
    case "REFERENCE": return `CKRecord.ID(recordName: ${swiftString(value.recordName)})`;
    default: return swiftString(String(value));
  }
}

function swiftZone(zoneID) {
  return zoneID ? `, zoneID: CKRecordZone.ID(zoneName: ${swiftString(zoneID.zoneName)})` : "";
}

function swiftString(text) {
  return JSON.stringify(String(text ?? "")).replace(/\\u([0-9a-f]{4})/g, "\\u{$1}");
}

/** Returns code for CloudKit JS. */
export function scriptText({ container, environment, database = "public", endpoint, body }) {
  const calls = {
    "records/query": `performQuery(${JSON.stringify(body.query ?? {}, null, 2)})`,
    "records/lookup": `fetchRecords(${JSON.stringify(
      (body.records ?? []).map(({ recordName }) => recordName))})`,
    "changes/zone": `fetchRecordZoneChanges(${JSON.stringify(body.zones ?? [], null, 2)})`,
  };
  const call = calls[endpoint] ?? `/* ${endpoint} */`;
  return "CloudKit.configure({ containers: [{\n"
    + `  containerIdentifier: ${JSON.stringify(container)}, environment: "${environment}",\n`
    + "  apiTokenAuth: { apiToken: \"YOUR_API_TOKEN\" },\n}] });\n"
    + `const database = CloudKit.getDefaultContainer().${database}CloudDatabase;\n`
    + `const response = await database.${call};`;
}
