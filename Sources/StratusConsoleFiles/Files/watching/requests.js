// The request log: the newest requests of apps, with filters and a live list.

import { h, userText } from "../dom.js";
import { addressOf } from "../address.js";
import { manage } from "../server.js";
import { copyDialog } from "../records/copyRequest.js";
import { say } from "../parts/announce.js";
import { openDialog } from "../parts/dialog.js";
import { field } from "../parts/form.js";
import { badge, button, facts, filterForm, heading, nextPage } from "../parts/page.js";
import { table } from "../parts/table.js";
import { counted, sizeText, time } from "../time.js";

const pageSize = 100;
/** The maximum number of rows in a live list. The oldest rows are removed. */
const liveMax = 500;

export async function show(screen) {
  const { place, signal } = screen;
  const { params } = place;
  const filters = filtersOf(params);
  const answer = await manage("requests/list", {
    ...filters, resultsLimit: pageSize, before: params.before,
  }, { signal });
  let { requests } = answer;
  let isPaused = params.live !== "yes";
  let waiting = [];
  let skippedCount = 0;
  const list = h("div");
  const note = h("p", { class: "small", role: "status" });
  const drawList = () => {
    list.replaceChildren(requestTable(requests, place));
  };
  screen.draw(
    heading("Requests"),
    h("p", {}, "The server keeps the newest requests of apps, without their contents."),
    form(place, params), liveForm(place), note, list,
    nextPage(place, "before", answer.before));
  drawList();
  say(`${counted(requests.length, "request")} shown.`);
  if (params.live === "yes") {
    // NB: new rows would move the table while the person reads it.
    list.addEventListener("focusin", () => { isPaused = true; });
    list.addEventListener("focusout", () => { isPaused = false; });
  }
  const flush = () => {
    if (waiting.length === 0) return;
    if (isPaused) {
      note.textContent = `${counted(waiting.length, "new request")} waiting.`;
      return;
    }
    requests = [...waiting.reverse(), ...requests].slice(0, liveMax);
    waiting = [];
    note.textContent = skippedCount === 0 ? ""
      : `${counted(skippedCount, "request")} came too fast to be shown live.`;
    drawList();
  };
  if (params.live !== "yes") return;
  const timer = setInterval(flush, 1_000);
  signal.addEventListener("abort", () => clearInterval(timer));
  screen.listen({
    requests: (entry) => {
      if (entry.skipped) skippedCount += entry.skipped;
      if (entry.requestID && matches(entry, filters)) waiting.push(entry);
      if (waiting.length > liveMax) waiting.shift();
    },
    reconnected: screen.again,
  });
}

function filtersOf(params) {
  return {
    containerID: params.container, environment: params.container ? params.environment : undefined,
    endpoint: params.endpoint, outcome: params.outcome, userRecordName: params.user,
    requestID: params.request,
    millisecondsMin: params.slow ? Number(params.slow) || undefined : undefined,
  };
}

function matches(entry, filters) {
  const isFailed = entry.outcome !== "ok";
  return (!filters.containerID || entry.containerID === filters.containerID)
    && (!filters.environment || entry.environment === filters.environment)
    && (!filters.endpoint || entry.endpoint === filters.endpoint)
    && (!filters.userRecordName || entry.userRecordName === filters.userRecordName)
    && (!filters.requestID || entry.requestID === filters.requestID)
    && (!filters.millisecondsMin || entry.milliseconds >= filters.millisecondsMin)
    && (!filters.outcome || entry.outcome === filters.outcome
      || (filters.outcome === "failed" && isFailed));
}

function form(place, params) {
  return filterForm("Filter", [
    field({ label: "Endpoint", name: "endpoint", value: params.endpoint, "data-filter": true,
      spellcheck: "false", placeholder: "records/query" }),
    field({ label: "Outcome", name: "outcome", type: "select", value: params.outcome ?? "",
      options: [{ value: "", text: "all" }, { value: "failed", text: "all errors" },
        "BAD_REQUEST", "CONFLICT", "ACCESS_DENIED", "AUTHENTICATION_REQUIRED", "THROTTLED",
        "TRY_AGAIN_LATER", "INTERNAL_ERROR"] }),
    field({ label: "User", name: "user", value: params.user, spellcheck: "false" }),
    field({ label: "Request ID", name: "request", value: params.request, spellcheck: "false" }),
    field({ label: "Slower than (ms)", name: "slow", value: params.slow, inputmode: "numeric",
      size: 8 }),
  ]);
}

function liveForm(place) {
  const isLive = place.params.live === "yes";
  return h("p", {}, h("a", {
    href: addressOf(place.path, { ...place.params, live: isLive ? "" : "yes", before: "" }),
    "data-focus": "live",
  }, isLive ? "Stop the live list" : "Show new requests live"));
}

function requestTable(requests, place) {
  return table({
    caption: "Requests", rows: requests, empty: "No request meets the filters.",
    onOpen: openEntry,
    columns: [
      { title: "Time", cell: (entry) => h("button", {
        type: "button", class: "quiet", "data-focus": `entry-${entry.requestID}`,
        "aria-label": `Details of request ${entry.requestID}`,
        on: { click: () => openEntry(entry) },
      }, time(entry.time, { isShort: true })) },
      { title: "Endpoint", cell: (entry) => userText(entry.endpoint) },
      { title: "Outcome", cell: (entry) => badge(entry.outcome,
        entry.outcome === "ok" ? "good" : "bad") },
      { title: "ms", isNumber: true, cell: (entry) => entry.milliseconds.toLocaleString("en") },
      { title: "Sent", isNumber: true, cell: (entry) => sizeText(entry.bytesOut) },
      { title: "Container", cell: (entry) => userText(entry.containerID ?? "") },
      { title: "Work", isNumber: true, cell: (entry) => entry.steps.toLocaleString("en") },
      { title: "User", cell: (entry) => (entry.userRecordName ? h("a", {
        href: addressOf(place.path, { ...place.params, user: entry.userRecordName, before: "" }),
      }, userText(entry.userRecordName)) : "none") },
      { title: "App", cell: (entry) => userText(entry.app ?? "") },
    ],
  });
}

function openEntry(entry) {
  return openDialog("Request", (close) => [
    facts([
      ["Request ID", h("code", {}, entry.requestID)], ["Time", time(entry.time)],
      ["Duration", `${entry.milliseconds} ms`],
      ["Target", userText([entry.containerID, entry.environment, entry.database].filter(Boolean)
        .join(" / "))],
      ["Endpoint", userText(entry.endpoint)], ["Outcome", badge(entry.outcome)],
      entry.reason && ["Reason", userText(entry.reason)],
      entry.query && ["Query", userText(entry.query)],
      entry.plan && ["Plan", userText(planText(entry.plan))],
      ["Work", `${counted(entry.steps, "step")} of about 1 µs`],
      ["Received, sent", `${sizeText(entry.bytesIn)}, ${sizeText(entry.bytesOut)}`],
      ["User", userText(entry.userRecordName ?? "none")],
      ["Device", userText(entry.deviceID ?? "none")], ["App", userText(entry.app ?? "unknown")],
    ]),
    h("p", { class: "small" }, "The log has no contents of requests. The copied request has ",
      "placeholders in their place."),
    h("div", { class: "actions" }, button("Copy as curl, Swift, CloudKit JS", () => {
      close();
      copyDialog({
        container: entry.containerID, environment: entry.environment, database: entry.database,
        endpoint: entry.endpoint, body: bodyOf(entry.endpoint),
      });
    })),
  ], { isWide: true });
}

function planText({ plan, index, entriesRead, recordsRead }) {
  return `${plan}${index ? ` of the index (${index})` : ""}: `
    + `${counted(entriesRead, "entry", "entries")} and ${counted(recordsRead, "record")} read`;
}

/** Returns a request to an endpoint, with placeholders. */
function bodyOf(endpoint) {
  switch (endpoint) {
    case "records/query":
      return { query: { recordType: "RECORD_TYPE", filterBy: [], sortBy: [] } };
    case "records/lookup":
      return { records: [{ recordName: "RECORD_NAME" }] };
    case "records/modify":
      return { operations: [{
        operationType: "update",
        record: { recordName: "RECORD_NAME", recordType: "RECORD_TYPE", fields: {} },
      }] };
    case "changes/zone":
      return { zones: [{ zoneID: { zoneName: "ZONE_NAME" } }] };
    default:
      return {};
  }
}
