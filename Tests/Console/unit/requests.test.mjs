import assert from "node:assert/strict";
import test from "node:test";

// NB: the modules use the page only when a screen is shown, so stand-ins suffice.
const element = { setAttribute() {}, append() {}, addEventListener() {} };
globalThis.document = { createElement: () => element };
globalThis.location = { pathname: "/records", search: "", origin: "http://console.example" };
const files = "../../../Sources/StratusConsoleFiles/Files";
const { addressOf } = await import(`${files}/address.js`);
const { filtersOf, queryOf } = await import(`${files}/records/query.js`);
const { curlText, scriptText, swiftText } = await import(`${files}/records/copyRequest.js`);
const { tableOf } = await import(`${files}/records/exports.js`);
const { limits, readRecords } = await import(`${files}/records/imports.js`);
const { isSafeLink, visible } = await import(`${files}/dom.js`);
const { commands } = await import(`${files}/commands.js`);

const fields = [{ name: "title", type: "STRING" }, { name: "count", type: "INT64" },
  { name: "place", type: "LOCATION" }];

test("an address leaves empty parameters out and encodes the others", () => {
  assert.equal(addressOf("/records", { a: "", b: null, c: "x y&z" }), "/records?c=x+y%26z");
});

test("the filters of an address become the filters of a request", () => {
  const filters = JSON.stringify([
    { field: "count", comparator: "IN", value: "1\n2" },
    { field: "place", comparator: "NEAR", value: "1, 2", distance: "50" },
    { field: "___recordID", comparator: "EQUALS", value: "r" }]);
  const system = { name: "___recordID", type: "REFERENCE" };
  const query = queryOf({ type: "Note", filters, sort: "title:descending" }, [...fields, system]);
  assert.deepEqual(query.filterBy, [
    { comparator: "IN", fieldName: "count", fieldValue: { type: "INT64_LIST", value: ["1", "2"] } },
    { comparator: "NEAR", fieldName: "place", distance: 50,
      fieldValue: { type: "LOCATION", value: { latitude: 1, longitude: 2 } } },
    { comparator: "EQUALS", systemFieldName: "___recordID",
      fieldValue: { type: "REFERENCE", value: { recordName: "r", action: "NONE" } } }]);
  assert.deepEqual(query.sortBy, [{ fieldName: "title", ascending: false }]);
});

test("filters that are not readable count as none", () => {
  for (const filters of ["{", "1", "[1]", "null"]) assert.deepEqual(filtersOf({ filters }), []);
});

test("a copied request quotes each value", () => {
  const request = {
    container: "c", environment: "development", endpoint: "records/query",
    body: { query: { recordType: "No'te", filterBy: [{ comparator: "EQUALS", fieldName: "title",
      fieldValue: { type: "STRING", value: "a\"b'c\n" } }] } },
  };
  assert.ok(curlText(request).includes("No'\\''te"));
  assert.ok(swiftText(request).includes("\"a\\\"b'c\\n\""));
  assert.ok(scriptText(request).includes("performQuery"));
  for (const text of [curlText(request), swiftText(request), scriptText(request)]) {
    assert.ok(!/[0-9a-f]{64}/.test(text));
  }
});

test("an export has no files and no encrypted values", () => {
  const rows = tableOf([{ recordName: "r", recordType: "Note", fields: {
    title: { type: "STRING", value: "x" }, secret: { type: "STRING", value: "s", isEncrypted: true },
    file: { type: "ASSETID", value: {} } } }]);
  assert.deepEqual(rows, [["recordName", "recordType", "title:STRING"], ["r", "Note", "x"]]);
});

test("an import names the row of each fault", () => {
  const text = "recordName,count:INT64,title\r\na,1,x\r\nb,oops,y\r\n";
  const { records, faults } = readRecords(text, "a.csv", "Note", fields);
  assert.equal(records[0].fields.count.value, "1");
  assert.deepEqual(faults.map((fault) => fault.row), [2]);
  const wrong = readRecords("title:INT64\r\n1\r\n", "a.csv", "Note", fields);
  assert.match(wrong.faults[0].sentence, /has the type STRING/);
  assert.equal(readRecords("{}", "a.json", "Note", fields).faults.length, 1);
  assert.equal(limits.recordsMax, 20_000);
});

test("only links to pages of the console, web pages and own files are safe", () => {
  for (const link of ["/x", "?a=b", "#main", "https://a.example", "blob:x"]) {
    assert.ok(isSafeLink(link), link);
  }
  for (const link of ["javascript:alert(1)", " javascript:x", "data:text/html,x", "//evil.example",
    "vbscript:x"]) {
    assert.ok(!isSafeLink(link), link);
  }
});

test("invisible characters become visible", () => {
  assert.equal(visible("a\u202eb\u200bc\u0000"), "a⟨202E⟩b⟨200B⟩c⟨0000⟩");
  assert.equal(visible("two\nlines\tü"), "two\nlines\tü");
});

test("each command begins with the program, and quotes its arguments", () => {
  for (const [path, command] of Object.entries(commands)) {
    assert.match(command({}), /^stratus /, path);
  }
  assert.equal(commands["team/remove"]({ email: "a'; rm -rf /" }),
    "stratus team remove 'a'\\''; rm -rf /'");
});
