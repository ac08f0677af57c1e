import assert from "node:assert/strict";
import test from "node:test";
import { ValueFault, parseValue, valueText } from
  "../../../Sources/StratusConsoleFiles/Files/fields/values.js";
import { csvCell, csvText, readCSV } from
  "../../../Sources/StratusConsoleFiles/Files/fields/csv.js";
import { comparatorsFor, protocolType, types } from
  "../../../Sources/StratusConsoleFiles/Files/fields/types.js";

const accepted = [
  ["INT64", "9223372036854775807", "9223372036854775807"], ["INT64", " -1 ", "-1"],
  ["DOUBLE", "2.5", "2.5"], ["DOUBLE", "1e3", "1000"],
  ["TIMESTAMP", "2026-11-23 15:04:05", "1795446245000"], ["TIMESTAMP", "0", "0"],
  ["TIMESTAMP", "1970-01-02", "86400000"], ["TIMESTAMP", "1970-01-01T01:00+01:00", "0"],
  ["BYTES", "SGVs bG8=", "SGVsbG8="], ["STRING", " kept ", " kept "],
  ["LOCATION", "48.1, 11.5", { latitude: 48.1, longitude: 11.5 }],
  ["REFERENCE", " r ", { recordName: "r", action: "NONE" }],
  ["INT64_LIST", "1\n2", ["1", "2"]],
];
for (const [type, text, value] of accepted) {
  test(`'${text}' is a value of ${type}`, () => {
    assert.deepEqual(parseValue(type, text), value);
  });
}

const refused = [
  ["INT64", "1.5"], ["INT64", "9223372036854775808"], ["INT64", ""], ["DOUBLE", "x"],
  ["DOUBLE", "Infinity"], ["TIMESTAMP", "yesterday"], ["TIMESTAMP", "2026-13-01"],
  ["BYTES", "%%%"], ["LOCATION", "91, 0"], ["LOCATION", "1"], ["LOCATION", "0, 181"],
  ["REFERENCE", " "], ["ASSETID", "x"], ["INT64_LIST", "1\nx"],
];
for (const [type, text] of refused) {
  test(`'${text}' is no value of ${type}`, () => {
    assert.throws(() => parseValue(type, text), ValueFault);
  });
}

test("the text of a value is read as the same value", () => {
  for (const [type, , value] of accepted) {
    if (type.endsWith("_LIST")) continue;
    assert.deepEqual(parseValue(type, valueText(type, value)), value);
  }
});

test("a cell that a spreadsheet would run gets an apostrophe", () => {
  for (const formula of ["=1+1", "+SUM(A1)", "-cmd", "@x", "\tx"]) {
    assert.equal(csvCell(formula).replace(/^"/, "")[0], "'");
  }
  for (const plain of ["-1", "+2.5", "1e-3", "text", "a=b"]) assert.equal(csvCell(plain), plain);
});

test("a table that is written can be read again", () => {
  const rows = [["a", "b"], ["=x", "two\nlines"], ["quote \" here", ",,"], ["", "ü"]];
  assert.deepEqual(readCSV(csvText(rows)), rows);
});

test("a quotation mark without an end is refused", () => {
  assert.throws(() => readCSV("a,\"b"));
});

test("each type except those of assets has comparators", () => {
  for (const type of types) {
    assert.equal(comparatorsFor(type).length === 0, type.startsWith("ASSETID"), type);
  }
});

test("types of the schema language have names in the protocol", () => {
  assert.deepEqual(protocolType("LIST<STRING>"), { type: "STRING_LIST", isEncrypted: false });
  assert.deepEqual(protocolType("ASSET"), { type: "ASSETID", isEncrypted: false });
  assert.deepEqual(protocolType("ENCRYPTED BYTES"), { type: "BYTES", isEncrypted: true });
  assert.deepEqual(
    protocolType("LIST<ENCRYPTED STRING>"), { type: "STRING_LIST", isEncrypted: true });
});
