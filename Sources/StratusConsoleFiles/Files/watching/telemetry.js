// The requests of apps over time: their number, errors, durations and bytes.

import { h, userText } from "../dom.js";
import { addressOf } from "../address.js";
import { manage, serverNow } from "../server.js";
import { say } from "../parts/announce.js";
import { chart } from "../parts/chart.js";
import { field } from "../parts/form.js";
import { filterForm, heading } from "../parts/page.js";
import { table } from "../parts/table.js";
import { counted, sizeText, time } from "../time.js";

const minute = 60_000;
/** The spans of time that the charts can show, each with the minutes of one bar. */
const spans = [
  { value: "1", text: "the last hour", minutes: 1 },
  { value: "6", text: "the last 6 hours", minutes: 5 },
  { value: "24", text: "the last day", minutes: 15 },
];

export async function show(screen) {
  const { place, signal } = screen;
  const { params } = place;
  const span = spans.find((span) => span.value === params.hours) ?? spans[0];
  const step = span.minutes * minute;
  const to = Math.ceil(serverNow() / step) * step;
  const from = to - Number(span.value) * 60 * minute;
  const answer = await manage("telemetry/fetch", {
    containerID: params.container, environment: params.container ? params.environment : undefined,
    endpoint: params.endpoint, from, to, minutesPerPoint: span.minutes,
  }, { signal });
  const points = sumsBy(answer.points, (point) => Math.floor(point.time / step) * step)
    .map(([time, sum]) => ({ time, sum })).filter((point) => point.time >= from)
    .sort((left, right) => left.time - right.time);
  const label = (value) => time(value, { isShort: true });
  const settings = { from, to, step, label };
  const bounds = answer.durationBounds;
  const total = points.reduce((count, point) => count + point.sum.count, 0);
  screen.draw(
    heading("Telemetry"), form(params),
    answer.since > from && h("p", { class: "notice" }, "The server has counts from ",
      time(answer.since), " on."),
    chart({
      ...settings, title: "Requests", text: (value) => Math.round(value).toLocaleString("en"),
      series: [{ name: "all", style: "bar" }, { name: "refused", style: "bar-bad" }],
      points: valuesOf(points, ({ count, failedCount }) => [count, failedCount]),
    }),
    chart({
      ...settings, title: "Duration", text: (value) => `${Math.round(value)} ms`,
      series: [{ name: "95 % within", style: "bar" }, { name: "half within", style: "bar-half" }],
      points: valuesOf(points, ({ durations }) => [
        quantile(durations, bounds, 0.95), quantile(durations, bounds, 0.5)]),
    }),
    chart({
      ...settings, title: "Bytes", text: sizeText,
      series: [{ name: "sent", style: "bar" }, { name: "received", style: "bar-half" }],
      points: valuesOf(points, ({ bytesOut, bytesIn }) => [bytesOut, bytesIn]),
    }),
    h("h2", {}, "By endpoint"), endpointTable(place, answer.points, bounds));
  say(`${counted(total, "request")} in ${span.text}.`);
}

function valuesOf(points, values) {
  return points.map((point) => ({ time: point.time, values: values(point.sum) }));
}

function form(params) {
  return filterForm("Filter", [
    field({ label: "Time", name: "hours", type: "select", value: params.hours ?? "1",
      options: spans.map(({ value, text }) => ({ value, text })) }),
    field({ label: "Endpoint", name: "endpoint", value: params.endpoint, "data-filter": true,
      spellcheck: "false", placeholder: "records/query" }),
  ]);
}

function endpointTable(place, points, bounds) {
  const rows = sumsBy(points, (point) => point.endpoint)
    .map(([endpoint, sum]) => ({ endpoint, ...sum }))
    .sort((left, right) => right.count - left.count);
  const number = (key) => (row) => row[key].toLocaleString("en");
  return table({
    caption: "Endpoints", rows, empty: "No app has sent a request in this time.",
    columns: [
      { title: "Endpoint", cell: ({ endpoint }) => h("a", {
        href: addressOf(place.path, { ...place.params, endpoint }),
      }, userText(endpoint)) },
      { title: "Requests", isNumber: true, cell: number("count") },
      { title: "Refused", isNumber: true, cell: number("failedCount") },
      { title: "Mean", isNumber: true,
        cell: (row) => `${(row.milliseconds / Math.max(1, row.count)).toFixed(1)} ms` },
      { title: "95 % within", isNumber: true,
        cell: (row) => `${quantile(row.durations, bounds, 0.95)} ms` },
      { title: "Sent", isNumber: true, cell: (row) => sizeText(row.bytesOut) },
      { title: "Requests", cell: ({ endpoint }) => h("a", {
        href: addressOf("/requests", {
          container: place.params.container, environment: place.params.environment, endpoint,
        }), "aria-label": `Requests to ${endpoint}`,
      }, "List") },
    ],
  });
}

/** Adds up the points with the same key, and returns pairs of a key and its sums. */
export function sumsBy(points, keyOf) {
  const sums = new Map();
  for (const point of points) {
    const key = keyOf(point);
    const sum = sums.get(key) ?? { durations: [] };
    for (const name of ["count", "failedCount", "milliseconds", "bytesIn", "bytesOut"]) {
      sum[name] = (sum[name] ?? 0) + point[name];
    }
    point.durations.forEach((count, index) => {
      sum.durations[index] = (sum.durations[index] ?? 0) + count;
    });
    sums.set(key, sum);
  }
  return [...sums];
}

/**
 * Returns the first bound, in milliseconds, within which at least the fraction `part` of the
 * requests was answered, or the last bound if there is none. Without requests, returns 0.
 */
export function quantile(durations, bounds, part) {
  const total = durations.reduce((sum, count) => sum + count, 0);
  if (total === 0) return 0;
  let seen = 0;
  for (const [index, count] of durations.entries()) {
    seen += count;
    if (seen >= total * part) return bounds[index] ?? bounds.at(-1);
  }
  return bounds.at(-1);
}
