import assert from "node:assert/strict";
import test from "node:test";

const element = { append() {}, setAttribute() {}, addEventListener() {}, dataset: {} };
globalThis.document ??= { createElement: () => element };
const { quantile, sumsBy } = await import(
  "../../../Sources/StratusConsoleFiles/Files/watching/telemetry.js");

test("a quantile is the upper bound of the duration class that contains it", () => {
  const bounds = [1, 10, 100];
  assert.equal(quantile([0, 0, 0, 0], bounds, 0.95), 0);
  assert.equal(quantile([95, 5, 0, 0], bounds, 0.95), 1);
  assert.equal(quantile([94, 6, 0, 0], bounds, 0.95), 10);
  assert.equal(quantile([0, 0, 0, 9], bounds, 0.5), 100);
});

test("the counts and durations of points with the same key are added", () => {
  const point = (endpoint, count) => ({ endpoint, count, failedCount: 1, milliseconds: 2,
    bytesIn: 3, bytesOut: 4, durations: [count, 1] });
  const sums = new Map(sumsBy([point("a", 1), point("b", 5), point("a", 2)], (p) => p.endpoint));
  assert.deepEqual(sums.get("a"), { count: 3, failedCount: 2, milliseconds: 4, bytesIn: 6,
    bytesOut: 8, durations: [3, 2] });
  assert.equal(sums.get("b").count, 5);
});
