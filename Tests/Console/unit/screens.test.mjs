import assert from "node:assert/strict";
import test from "node:test";
import { concerns, screens } from "../../../Sources/StratusConsoleFiles/Files/screens.js";
import { sortText, sortsOf } from "../../../Sources/StratusConsoleFiles/Files/records/query.js";

const screenAt = (path) => screens.find((screen) => screen.path === path);
const place = (params) => ({ params: { container: "A", environment: "production", ...params } });
const change = (members) => ({ area: "records", containerID: "A", environment: "production",
  database: "public", ...members });

test("a save concerns only the records screen of the same database", () => {
  const records = screenAt("/records");
  assert.ok(concerns(change({}), records, place({})));
  assert.ok(!concerns(change({ containerID: "B" }), records, place({})));
  assert.ok(!concerns(change({ environment: "development" }), records, place({})));
  assert.ok(!concerns(change({ database: "private" }), records, place({})));
  assert.ok(concerns(change({ database: "private" }), records, place({ database: "private" })));
});

test("a screen without a database in its address shows its default database", () => {
  const zones = screenAt("/zones");
  assert.ok(concerns(change({ area: "zones", database: "private" }), zones, place({})));
  assert.ok(!concerns(change({ area: "zones", database: "public" }), zones, place({})));
});

test("a screen of the whole server ignores the container of a change", () => {
  assert.ok(concerns({ area: "api-tokens" }, screenAt("/api-tokens"), place({})));
  assert.ok(concerns({ area: "api-tokens", containerID: "B" }, screenAt("/api-tokens"), place({})));
  assert.ok(!concerns({ area: "team" }, screenAt("/api-tokens"), place({})));
});

test("the event that replaces lost events concerns every screen", () => {
  for (const screen of screens.filter((screen) => screen.areas)) {
    assert.ok(concerns({ area: "everything" }, screen, place({})), screen.path);
  }
});

test("each screen except the request log names the areas whose changes it shows", () => {
  assert.deepEqual(screens.filter((screen) => !screen.areas).map((screen) => screen.path),
    ["/requests"]);
});

test("no two screens have the same key or path", () => {
  assert.equal(new Set(screens.map((screen) => screen.key)).size, screens.length);
  assert.equal(new Set(screens.map((screen) => screen.path)).size, screens.length);
});

test("sorts that are written into the address are read back unchanged", () => {
  const sorts = [{ name: "title", order: "descending", near: "" },
    { name: "place", order: "ascending", near: "48.1;-11.5" }];
  assert.equal(sortText(sorts), "title:descending,place:ascending:48.1;-11.5");
  assert.deepEqual(sortsOf({ sort: sortText(sorts) }), sorts);
  assert.deepEqual(sortsOf({}), []);
});
