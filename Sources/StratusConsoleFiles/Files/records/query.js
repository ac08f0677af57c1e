// A query as parameters of the address, and as a request.

import { elementOf, isList, protocolType, systemFields, takesList, takesText } from
  "../fields/types.js";
import { parseValue } from "../fields/values.js";

export const pageSize = 100;

/** Returns the zone that the address names, or undefined for the default zone. */
export function zoneOf(params) {
  if (!params.zone) return undefined;
  return {
    zoneName: params.zone, ...(params.owner ? { ownerRecordName: params.owner } : {}),
  };
}

/** Returns the conditions of the address: field, comparator, value, and distance. */
export function filtersOf(params) {
  try {
    const filters = JSON.parse(params.filters || "[]");
    return Array.isArray(filters) ? filters.filter((filter) => filter?.field) : [];
  } catch {
    return [];
  }
}

/** Returns the fields of a record type: first those of the schema, then the system fields. */
export function fieldsOf(recordType) {
  const own = (recordType?.fields ?? []).filter((field) => !field.isSystem).map((field) => ({
    ...field, ...protocolType(field.type), text: field.name,
  }));
  return [...own, ...systemFields.map((field) => ({ ...field, isSystem: true }))];
}

/**
 * Returns the query that the address describes, in the form of a request.
 *
 * @throws {ValueFault} if the text of a condition is not a value of its field.
 */
export function queryOf(params, fields) {
  const query = { recordType: params.type, filterBy: [], sortBy: [] };
  for (const filter of filtersOf(params)) {
    const field = fields.find((field) => field.name === filter.field);
    query.filterBy.push({
      comparator: filter.comparator, ...keyOf(filter.field),
      fieldValue: valueOf(filter, field?.type ?? "STRING"),
      ...(filter.comparator === "NEAR" ? { distance: Number(filter.distance) || 1_000 } : {}),
    });
  }
  for (const { name, order, near } of sortsOf(params)) {
    query.sortBy.push({
      ...keyOf(name), ascending: order !== "descending",
      ...(near ? { relativeLocation: parseValue("LOCATION", near) } : {}),
    });
  }
  return query;
}

/**
 * Returns the sorts of the address, in their order. They have the form
 * `title:ascending,place:ascending:48.1;11.5`. The last part is the location from which distances
 * are measured.
 */
export function sortsOf(params) {
  return (params.sort ?? "").split(",").filter(Boolean).map((text) => {
    const [name, order = "ascending", near = ""] = text.split(":");
    return { name, order, near };
  });
}

/** Returns the parameter of the address for sorts. */
export function sortText(sorts) {
  return sorts.map(({ name, order, near }) => [
    name, order, ...(near ? [near.replaceAll(/\s/g, "").replace(",", ";")] : []),
  ].join(":")).join(",");
}

function keyOf(name) {
  return name.startsWith("___") ? { systemFieldName: name } : { fieldName: name };
}

function valueOf(filter, type) {
  const element = takesText(filter.comparator) ? "STRING" : elementOf(type);
  if (takesList(filter.comparator)) {
    const values = filter.value.split("\n").filter(Boolean);
    return { type: `${element}_LIST`, value: values.map((text) => parseValue(element, text)) };
  }
  return { type: element, value: parseValue(element, filter.value) };
}

/** Whether the schema lacks the index option that a condition needs. */
export function lacksIndex(field, filter) {
  if (!field || field.isSystem) return false;
  const isSearch = /TOKENS$/.test(filter.comparator);
  return isSearch ? field.isSearchable === false : field.isQueryable === false;
}

/** Returns the comparator of a new condition for a field of a type. */
export function firstComparator(type) {
  if (isList(type)) return "LIST_CONTAINS";
  return type === "LOCATION" ? "NEAR" : "EQUALS";
}
