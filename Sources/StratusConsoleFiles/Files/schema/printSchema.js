// Writes a described schema as a file of the schema language. The server reads and checks it.

const reserved = new Set(["grant", "preferred", "queryable", "sortable", "searchable"]);
const systemRoles = ["_creator", "_icloud", "_world"];

/** Returns the text of a schema file. */
export function schemaText({ roles, recordTypes }) {
  const blocks = [];
  const custom = roles.filter((role) => !systemRoles.includes(role)).sort();
  if (custom.length > 0) {
    blocks.push(custom.map((role) => `    CREATE ROLE ${quoted(role)};`).join("\n"));
  }
  for (const type of recordTypes) blocks.push(typeText(type));
  return `${["DEFINE SCHEMA", ...blocks].join("\n\n")}\n`;
}

function typeText({ name, fields, grants }) {
  const width = Math.max(...fields.map((field) => quoted(field.name).length), 0);
  const lines = fields.map((field) => {
    const options = [
      field.isQueryable && "QUERYABLE", field.isSearchable && "SEARCHABLE",
      field.isSortable && "SORTABLE",
    ].filter(Boolean);
    return `        ${quoted(field.name).padEnd(width)} ${[field.type, ...options].join(" ")}`;
  });
  for (const { role, permissions } of grants) {
    if (permissions.length === 0) continue;
    const words = ["read", "create", "write"].filter((word) => permissions.includes(word));
    lines.push(`        GRANT ${words.join(", ").toUpperCase()} TO ${quoted(role)}`);
  }
  return `    RECORD TYPE ${quoted(name)} (\n${lines.join(",\n")}\n    );`;
}

function quoted(name) {
  const isPlain = /^[A-Za-z][A-Za-z0-9_]*$/.test(name) && !reserved.has(name.toLowerCase());
  return isPlain ? name : `"${name}"`;
}
