// The order of the editors of a record.

import { protocolType } from "../fields/types.js";

/** Returns the fields of the record type in the schema's order, then other fields of the record. */
export function fieldEditorsOrder(recordType, record) {
  const own = (recordType?.fields ?? []).filter((field) => !field.isSystem).map((field) => ({
    name: field.name, type: record.fields[field.name]?.type ?? protocolType(field.type).type,
    isEncrypted: protocolType(field.type).isEncrypted,
  }));
  const known = new Set(own.map((field) => field.name));
  const others = Object.keys(record.fields).filter((name) => !known.has(name)).sort();
  return [
    // NB: the console has no encryption keys, so it cannot write a value into an encrypted field.
    ...own.filter((field) => !field.isEncrypted || record.fields[field.name]),
    ...others.map((name) => ({ name, type: record.fields[name].type })),
  ];
}
