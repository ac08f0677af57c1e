// The production radar: parts of the schema that requests needed and production lacks.

import { h, userText } from "../dom.js";
import { screenAddress } from "../address.js";
import { badge } from "../parts/page.js";
import { table } from "../parts/table.js";
import { time } from "../time.js";

/** Creates the table of lacks. */
export function lackTable(lacks) {
  return table({
    caption: "Production lacks", rows: lacks,
    columns: [
      { title: "Lack", cell: (lack) => userText(
        lack.kind === "type" ? lack.recordType : `${lack.recordType}.${lack.name}`) },
      { title: "Kind", cell: (lack) => badge(
        { type: "record type", field: "field", index: "index option" }[lack.kind] ?? lack.kind,
        "bad") },
      { title: "Deploy", cell: (lack) => h("a", {
        href: screenAddress("/deploy", { container: lack.containerID, environment: "production" }),
        "aria-label": `Compare and deploy ${lack.containerID}`,
      }, "Compare") },
      { title: "Container", cell: (lack) => userText(lack.containerID) },
      { title: "App", cell: (lack) => userText(lack.app || "unknown") },
      { title: "Refused requests", isNumber: true,
        cell: (lack) => lack.count.toLocaleString("en") },
      { title: "First", cell: (lack) => time(lack.firstAt, { isShort: true }) },
      { title: "Last", cell: (lack) => time(lack.lastAt, { isShort: true }) },
    ],
  });
}
