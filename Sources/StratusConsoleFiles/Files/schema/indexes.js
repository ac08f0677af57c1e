// The screen of the indexes that the server has made for queries.

import { h, userText } from "../dom.js";
import { manage } from "../server.js";
import { may } from "../session.js";
import { report } from "../parts/announce.js";
import { askAndRun } from "../parts/dialog.js";
import { badge, button, heading, screenLink } from "../parts/page.js";
import { table } from "../parts/table.js";
import { counted, time } from "../time.js";

export async function show(screen) {
  const { signal, store } = screen;
  const [{ indexes, advice }, status] = await Promise.all([
    manage("schema/indexes", store, { signal }), manage("status", {}, { signal }),
  ]);
  const lacks = store.environment !== "production" ? [] : status.productionLacks.filter(
    (lack) => lack.kind === "index" && lack.containerID === store.containerID);
  screen.draw(
    heading("Indexes"),
    h("h2", {}, "Advice"), adviceView(screen, advice, lacks),
    h("h2", {}, "All indexes"),
    h("p", {}, "A query makes the index that it needs. Index options of the schema only say which ",
      "queries are allowed."),
    table({
      caption: "Indexes", rows: indexes, empty: "No query has made an index yet.",
      columns: [
        { title: "Record type", cell: (index) => userText(index.recordType) },
        { title: "Columns", cell: (index) => userText(index.columns.join(", ")) },
        { title: "State", cell: (index) => badge(
          index.state, index.state === "ready" ? "good" : "") },
        { title: "Progress", isNumber: true, cell: progress },
        { title: "Uses", isNumber: true, cell: (index) => index.uses.toLocaleString("en") },
        { title: "Last used", cell: (index) => (index.lastUsedDay === undefined
          ? "never" : time(index.lastUsedDay * 86_400_000, { isShort: true })) },
        { title: "Action", cell: (index) => button(`Remove ${index.id}`,
          () => drop(screen, index), { kind: "quiet", isAllowed: may("operation") }) ?? "" },
      ],
    }));
}

/** Shows what the server advises: missing index options, costly queries, and unused indexes. */
function adviceView(screen, advice, lacks) {
  const rows = [
    ...lacks.map((lack) => ({
      kind: "missing option", subject: `${lack.recordType}: ${lack.name}`,
      effect: `${counted(lack.count, "request")} refused`,
      sentence: "Production refuses queries that need this index option. Deploy the schema of "
        + "development.",
      action: screenLink("/deploy", {}, `Compare and deploy ${lack.recordType} ${lack.name}`),
    })),
    ...advice.map((item) => (item.kind === "unusedIndex" ? {
      kind: "unused index", subject: `${item.recordType}: index ${item.index}`, effect: "no uses",
      sentence: item.sentence, action: "",
    } : {
      kind: item.kind === "noIndex" ? "no index" : "costly query",
      subject: `${item.recordType}: ${[...item.filters, ...item.sorts.map((sort) =>
        `sorted by ${sort}`)].join(", ") || "all records"}`,
      effect: `${counted(item.queries, "query", "queries")} read `
        + `${counted(item.recordsRead, "record")} and found `
        + `${counted(item.recordsFound, "record")}`,
      sentence: item.sentence,
      action: may("records") ? screenLink("/records", queryParams(item),
        `Open as a query of ${item.recordType}`) : "",
    })),
  ];
  return table({
    caption: "Advice", rows,
    empty: "No query since the start of the server lacks an index, and each index is used.",
    columns: [
      { title: "Subject", cell: (row) => userText(row.subject) },
      { title: "Kind", cell: (row) => badge(row.kind, row.kind === "unused index" ? "" : "bad") },
      { title: "Effect", cell: (row) => row.effect },
      { title: "Advice", cell: (row) => row.sentence },
      { title: "Action", cell: (row) => row.action },
    ],
  });
}

/** Returns parameters with which the screen of records builds a query of the same form. */
function queryParams({ recordType, filters, sorts }) {
  const conditions = filters.map((text) => {
    const [comparator, name = ""] = text.replace(/^one of: /, "").split(" ");
    return { field: name, comparator, value: "" };
  });
  return {
    type: recordType, filters: conditions.length > 0 ? JSON.stringify(conditions) : "",
    sort: sorts.map((text) => text.replace(" descending", ":descending")).join(","),
  };
}

function progress({ rowsDone, rowsTotal, state }) {
  if (state === "ready") return "complete";
  if (!rowsTotal) return "–";
  return `${Math.floor((Number(rowsDone ?? 0) / Number(rowsTotal)) * 100)} %`;
}

async function drop(screen, index) {
  const body = {
    ...screen.store, index: index.id, cancelsBuild: index.state !== "ready",
  };
  const done = await askAndRun({
    title: "Remove the index?", button: "Remove", endpoint: "schema/indexes/drop", body,
    sentences: [
      `The index of ${index.recordType} by ${index.columns.join(", ")} is removed.`,
      "The next query that needs it makes it again, which takes time.",
    ],
    run: () => manage("schema/indexes/drop", body),
  });
  if (!done) return;
  report("The index is removed.");
  screen.again();
}
