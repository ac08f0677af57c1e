// Charts of requests, errors and durations. The table behind each chart has the same values.

import { h } from "../dom.js";
import { change, addressOf } from "../address.js";
import { manage, serverNow } from "../server.js";
import { chart } from "../parts/chart.js";
import { field } from "../parts/form.js";
import { filterForm, heading } from "../parts/page.js";

const windows = [
  { value: "hour", text: "last hour", seconds: 3_600, step: 60 },
  { value: "day", text: "last day", seconds: 86_400, step: 1_800 },
  { value: "week", text: "last week", seconds: 604_800, step: 10_800 },
];

export async function show(screen) {
  const { place, signal } = screen;
  const { params } = place;
  const { from, to, step } = rangeOf(params);
  const { series } = await manage("requests/summarize", {
    containerID: params.container, environment: params.container ? params.environment : undefined,
    endpoint: params.endpoint, from, to, stepSeconds: step,
  }, { signal });
  const named = (name) => series.filter((line) => line.name === name);
  const onRange = (start, end) => change({ from: start, to: end });
  screen.draw(
    heading("Telemetry"),
    filterForm("Filter", [
      field({ label: "Period", name: "window", type: "select", options: windows,
        value: params.window ?? "hour" }),
      field({ label: "Endpoint", name: "endpoint", value: params.endpoint, "data-filter": true,
        spellcheck: "false" }),
    ]),
    params.from && h("p", {}, "A part of the period is shown. ",
      h("a", { href: addressOf(place.path, { ...params, from: "", to: "" }) },
        "Show the whole period"), " ",
      h("a", { href: addressOf("/requests", {
        container: params.container, environment: params.environment, from: params.from,
        to: params.to,
      }) }, "Show its requests")),
    h("p", { class: "small" }, params.container
      ? `The charts show the container ${params.container}.` : "The charts show all containers.",
    " Drag over a chart to show a part of it."),
    chart({ title: "Requests", unit: "requests a minute", onRange,
      series: [...named("requests"), ...named("errors")] }),
    chart({ title: "Duration", unit: "ms", onRange, series: [...named("p50"), ...named("p95")] }),
    chart({ title: "Sent", unit: "bytes a minute", onRange, series: named("bytesOut") }));
}

function rangeOf(params) {
  const chosen = windows.find((window) => window.value === params.window) ?? windows[0];
  if (params.from && params.to) {
    const [from, to] = [Number(params.from), Number(params.to)];
    if (to > from) return { from, to, step: Math.max(1, Math.round((to - from) / 60_000)) };
  }
  const to = Math.floor(serverNow() / 1_000 / chosen.step) * chosen.step * 1_000;
  return { from: to - chosen.seconds * 1_000, to, step: chosen.step };
}
