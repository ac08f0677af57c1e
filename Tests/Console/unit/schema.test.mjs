import assert from "node:assert/strict";
import test from "node:test";
import { draftOf } from "../../../Sources/StratusConsoleFiles/Files/schema/draft.js";
import { tokensOf } from "../../../Sources/StratusConsoleFiles/Files/schema/highlight.js";
import { schemaText } from "../../../Sources/StratusConsoleFiles/Files/schema/printSchema.js";

const described = () => ({
  roles: ["_world", "Editor"],
  recordTypes: [{
    name: "Note",
    fields: [
      { name: "___createTime", type: "TIMESTAMP", isQueryable: true, isSortable: true },
      { name: "title", type: "STRING", isQueryable: true, isSortable: true, isSearchable: true },
      { name: "grant", type: "LIST<STRING>" },
    ],
    grants: [{ role: "_creator", permissions: ["write"] },
      { role: "Editor", permissions: ["write", "read"] },
      { role: "_world", permissions: [] }],
  }],
});

test("a schema is printed in the form of Apple's export", () => {
  assert.equal(schemaText(described()), [
    "DEFINE SCHEMA", "", "    CREATE ROLE Editor;", "", "    RECORD TYPE Note (",
    "        \"___createTime\" TIMESTAMP QUERYABLE SORTABLE,",
    "        title           STRING QUERYABLE SEARCHABLE SORTABLE,",
    "        \"grant\"         LIST<STRING>,",
    "        GRANT WRITE TO \"_creator\",", "        GRANT READ, WRITE TO Editor", "    );", "",
  ].join("\n"));
});

test("a draft knows its changes, and survives a change of the stored schema", () => {
  const store = { containerID: "c", environment: "development" };
  const draft = draftOf(store, described());
  assert.equal(draft.isChanged, false);
  draft.addField("Note", "size", "INT64");
  assert.equal(draft.isChanged, true);
  const other = described();
  other.roles.push("Reader");
  assert.equal(draftOf(store, other), draft);
  assert.equal(draft.isStale, true);
  draft.discard();
  assert.notEqual(draftOf(store, other), draft);
});

test("a role that is removed loses its grants", () => {
  const draft = draftOf({ containerID: "d", environment: "development" }, described());
  draft.removeRole("Editor");
  assert.ok(!draft.text.includes("Editor"));
});

test("the tokens of a schema, joined, are the text of the schema", () => {
  const text = "DEFINE SCHEMA -- a\n  RECORD TYPE \"x\" (\n a STRING, /* open <b>";
  assert.equal(tokensOf(text).map((token) => token.text).join(""), text);
  assert.ok(tokensOf(text).some(({ kind, text }) => kind === "keyword" && text === "RECORD"));
  assert.ok(tokensOf(text).some(({ kind }) => kind === "comment"));
});
