// A draft of a schema: changes that are not sent yet. It lives as long as the page.

import { schemaText } from "./printSchema.js";

const drafts = new Map();

/**
 * Returns the draft of a store. Makes a new draft of the stored schema if there is no draft, or if
 * the draft has no changes and the stored schema has changed since.
 */
export function draftOf({ containerID, environment }, described) {
  const key = `${containerID} ${environment}`;
  const stored = schemaText(described);
  const known = drafts.get(key);
  if (known && (known.isChanged || known.stored === stored)) {
    known.isStale = known.stored !== stored;
    return known;
  }
  const draft = new Draft(described, stored, () => drafts.delete(key));
  drafts.set(key, draft);
  return draft;
}

class Draft {
  constructor(described, stored, discard) {
    this.model = structuredClone({
      roles: described.roles, recordTypes: described.recordTypes,
    });
    this.stored = stored;
    /** Whether the stored schema has changed since the draft began. */
    this.isStale = false;
    this.discard = discard;
  }

  get text() { return schemaText(this.model); }
  get isChanged() { return this.text !== this.stored; }

  type(name) { return this.model.recordTypes.find((type) => type.name === name); }

  addType(name) {
    const system = [
      ["___createTime", "TIMESTAMP"], ["___createdBy", "REFERENCE"], ["___etag", "STRING"],
      ["___modTime", "TIMESTAMP"], ["___modifiedBy", "REFERENCE"], ["___recordID", "REFERENCE"],
    ];
    this.model.recordTypes.push({
      name,
      // NB: without QUERYABLE for the record name, a list of all records would be refused.
      fields: system.map(([field, type]) => ({
        name: field, type, isSystem: true, isQueryable: field === "___recordID",
        isSortable: false, isSearchable: false,
      })),
      grants: [
        { role: "_creator", permissions: ["write"] }, { role: "_icloud", permissions: ["create"] },
        { role: "_world", permissions: ["read"] },
      ],
    });
  }

  removeType(name) {
    this.model.recordTypes = this.model.recordTypes.filter((type) => type.name !== name);
  }

  addField(typeName, name, type) {
    this.type(typeName).fields.push({
      name, type, isSystem: false, isQueryable: false, isSortable: false, isSearchable: false,
    });
  }

  removeField(typeName, name) {
    const type = this.type(typeName);
    type.fields = type.fields.filter((field) => field.name !== name);
  }

  addRole(name) { this.model.roles.push(name); }

  removeRole(name) {
    this.model.roles = this.model.roles.filter((role) => role !== name);
    for (const type of this.model.recordTypes) {
      type.grants = type.grants.filter((grant) => grant.role !== name);
    }
  }

  setGrant(typeName, role, permission, isGranted) {
    const type = this.type(typeName);
    let grant = type.grants.find((grant) => grant.role === role);
    if (!grant) {
      grant = { role, permissions: [] };
      type.grants.push(grant);
    }
    grant.permissions = grant.permissions.filter((word) => word !== permission);
    if (isGranted) grant.permissions.push(permission);
  }
}
