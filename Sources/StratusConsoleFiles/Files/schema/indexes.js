// The screen of the indexes that queries have made.

import { h, userText } from "../dom.js";
import { manage } from "../server.js";
import { may } from "../session.js";
import { report } from "../parts/announce.js";
import { askAndRun } from "../parts/dialog.js";
import { badge, button, heading } from "../parts/page.js";
import { table } from "../parts/table.js";
import { time } from "../time.js";

export async function show(screen) {
  const { signal, store } = screen;
  const { indexes } = await manage("schema/indexes", store, { signal });
  screen.draw(
    heading("Indexes"),
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
