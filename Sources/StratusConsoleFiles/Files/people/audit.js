// The audit log: actions of members, operators and commands.

import { userText } from "../dom.js";
import { manage } from "../server.js";
import { field } from "../parts/form.js";
import { filterForm, heading, nextPage } from "../parts/page.js";
import { table } from "../parts/table.js";
import { time } from "../time.js";

export async function show(screen) {
  const { place, signal } = screen;
  const { params } = place;
  const { entries, before } = await manage("audit/list", {
    email: params.email, containerID: params.container, resultsLimit: 100, before: params.before,
  }, { signal });
  screen.draw(
    heading("Audit log"),
    filterForm("Filter", [field({ label: "E-mail of the actor or the account", name: "email",
      value: params.email, type: "search", "data-filter": true })]),
    table({
      caption: "Actions", rows: entries, empty: "No action meets the filter.",
      columns: [
        { title: "Time", cell: (entry) => time(entry.time) },
        { title: "Actor", cell: (entry) => userText(entry.actor) },
        { title: "Action", cell: (entry) => userText(entry.action) },
        { title: "Subject", cell: (entry) => userText(entry.subject ?? "") },
        { title: "Container", cell: (entry) => userText(
          [entry.containerID, entry.environment].filter(Boolean).join(" / ")) },
        { title: "Address", cell: (entry) => userText(entry.address ?? "") },
      ],
    }),
    nextPage(place, "before", before));
}
