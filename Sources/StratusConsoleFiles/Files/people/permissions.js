// Explains whether a user may read, create or write a record, and why.

import { h, userText } from "../dom.js";
import { manage } from "../server.js";
import { field } from "../parts/form.js";
import { badge, filterForm, heading } from "../parts/page.js";
import { table } from "../parts/table.js";

export async function show(screen) {
  const { place, signal, store } = screen;
  const { params } = place;
  const isAsked = params.record || params.type;
  const answer = isAsked && await manage("permissions/explain", {
    ...store, database: params.database ?? "public", recordName: params.record,
    recordType: params.type, userRecordName: params.user,
  }, { signal });
  screen.draw(
    heading("Permissions"),
    h("p", {}, "Name a user and a record, or only a record type. The server asks the same policy ",
      "as for a request."),
    form(params), answer && answerView(answer));
}

function form(params) {
  return filterForm("Question", [
    field({ label: "User record name", name: "user", value: params.user, spellcheck: "false",
      hint: "empty for a caller without a sign-in", "data-filter": true }),
    field({ label: "Database", name: "database", type: "select",
      value: params.database ?? "public", options: ["public"],
      hint: "private data is not explained: the answer would reveal it" }),
    field({ label: "Record name", name: "record", value: params.record, spellcheck: "false" }),
    field({ label: "Record type", name: "type", value: params.type, spellcheck: "false" }),
  ], "Explain");
}

function answerView({ subject, verbs }) {
  return [
    h("h2", {}, userText(subject)),
    verbs.map((verb) => h("section", {},
      h("h3", {}, badge(verb.isAllowed ? "allowed" : "denied", verb.isAllowed ? "good" : "bad"),
        ` ${verb.verb}`),
      h("p", {}, userText(verb.sentence)),
      table({
        caption: `Reasons for ${verb.verb}`, rows: verb.sources,
        empty: "No role, grant or share applies.",
        columns: [
          { title: "Source", cell: (source) => userText(source.name) },
          { title: "Kind", cell: (source) => source.kind },
          { title: "Effect", cell: (source) => badge(source.isAllowed ? "allows" : "does not allow",
            source.isAllowed ? "good" : "") },
          { title: "Reason", cell: (source) => userText(source.sentence) },
        ],
      }))),
  ];
}
