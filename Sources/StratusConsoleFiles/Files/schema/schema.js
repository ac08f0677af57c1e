// The screen of the schema: fields, roles, the text, and retirements.

import { h } from "../dom.js";
import { manage } from "../server.js";
import { may } from "../session.js";
import { button, download, heading, viewLinks } from "../parts/page.js";
import { draftOf } from "./draft.js";
import { fieldsView } from "./fieldsView.js";
import { reviewChange } from "./report.js";
import { retirementsView } from "./retirements.js";
import { rolesView } from "./rolesView.js";
import { textView } from "./textView.js";

const views = [
  { value: "fields", text: "Record types" }, { value: "roles", text: "Security roles" },
  { value: "text", text: "Text" }, { value: "retirements", text: "Retirements" },
];

export async function show(screen) {
  const { place, signal, store } = screen;
  const view = place.params.view ?? "fields";
  const [described, retiring] = await Promise.all([
    manage("schema/describe", store, { signal }),
    view === "retirements" ? manage("schema/retiring", store, { signal }) : null,
  ]);
  const context = {
    screen, store, described, draft: draftOf(store, described),
    mayChange: may(store.environment === "production" ? "deploy" : "schema"),
    redraw: () => drawAll(),
  };
  const drawAll = () => screen.draw(
    heading("Schema",
      button("Export", () => exportText(store), { kind: "quiet" })),
    viewLinks("Views of the schema", place, views),
    view !== "text" && draftBar(context), viewOf(view, context, retiring));
  drawAll();
}

function viewOf(view, context, retiring) {
  switch (view) {
    case "roles": return rolesView(context);
    case "text": return textView(context);
    case "retirements": return retirementsView(context, retiring.retirements);
    default: return fieldsView(context);
  }
}

/** Shows that the draft has changes that the server does not have yet. */
function draftBar({ draft, store, screen, redraw }) {
  if (!draft.isChanged) return null;
  return h(
    "div", { class: "notice", role: "status" },
    h("p", {}, "The changes on this page are a draft. The server does not have them yet.",
      draft.isStale && " Another member has changed the schema since the draft began."),
    h("div", { class: "actions" },
      button("Review and save", async () => {
        const isDone = await reviewChange({ ...store, schema: draft.text });
        if (!isDone) return;
        draft.discard();
        screen.again();
      }, { focus: "review" }),
      button("Discard the draft", () => {
        draft.discard();
        screen.again();
      }, { kind: "quiet" })));
}

async function exportText(store) {
  const { schema } = await manage("schema/export", store);
  download(`${store.environment}.ckdb`, "text/plain", schema);
}
