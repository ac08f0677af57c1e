// The first screen: the production radar and the state of the server.

import { h, userText } from "../dom.js";
import { manage } from "../server.js";
import { badge, facts, heading, screenLink } from "../parts/page.js";
import { table } from "../parts/table.js";
import { sizeText, time } from "../time.js";
import { lackTable } from "./lacks.js";

export async function show(screen) {
  const { signal } = screen;
  const status = await manage("status", {}, { signal });
  const lacks = status.productionLacks;
  screen.draw(
    heading("Overview"),
    h("h2", {}, "Production radar"),
    lacks.length === 0
      ? h("p", {}, badge("good", "good"), " Production has refused no request for lack of a part ",
        "of the schema.")
      : [h("p", {}, "Apps in production save or query what the schema there lacks. These requests ",
        "fail until development is deployed."), lackTable(lacks)],
    h("h2", {}, "Server"),
    facts([
      ["State", state(status)],
      ["Version", status.version], ["Started", time(status.startedAt)],
      ...status.faults.map((fault) => [fault.name, fault.reason]),
    ]),
    stores(status.containers));
}

/** A ready server may have faults that affect only files. */
function state({ ready, faults }) {
  if (!ready) return badge("not ready", "bad");
  return faults.length === 0 ? badge("ready", "good") : badge("ready, but without files", "bad");
}

function stores(containers) {
  const rows = containers.flatMap(({ id, stores }) => stores.map((store) => ({ id, ...store })));
  return table({
    caption: "Stores", rows, empty: "There is no store yet.",
    columns: [
      { title: "Container", cell: (store) => screenLink(
        "/records", { container: store.id, environment: store.environment }, userText(store.id)) },
      { title: "Environment", cell: (store) => store.environment },
      { title: "File", cell: (store) => (store.open ? "open" : "closed") },
      { title: "Size", isNumber: true, cell: (store) => sizeText(store.sizeBytes) },
    ],
  });
}

