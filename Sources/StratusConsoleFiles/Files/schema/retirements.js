// Retirements: fields and record types that are being removed from a schema.

import { h, userText } from "../dom.js";
import { manage } from "../server.js";
import { report } from "../parts/announce.js";
import { askAndRun } from "../parts/dialog.js";
import { field, requestForm } from "../parts/form.js";
import { badge, button } from "../parts/page.js";
import { table } from "../parts/table.js";
import { counted, time } from "../time.js";

const effects = {
  report: "The server notes each device that still writes it. Nothing else changes.",
  refuse: "Saves that contain it are refused from now on.",
  cancel: "The retirement ends, and saves are accepted again.",
  drop: "The values are removed from all records, in steps. This cannot be undone.",
};

/** Creates the view. */
export function retirementsView(context, retirements) {
  const { mayChange } = context;
  return [
    h("p", {}, "Removing a field from production takes two steps: the server first notes which ",
      "devices still write it. After 14 days without a write, the field can be dropped."),
    table({
      caption: "Retirements", rows: retirements, empty: "Nothing is being retired.",
      columns: [
        { title: "Field or type", cell: (item) => userText(item.place) },
        { title: "Phase", cell: (item) => badge(item.phase) },
        { title: "New name", cell: (item) => (item.newName
          ? [userText(item.newName), item.isCopied ? "" : " (values are being copied)"] : "") },
        { title: "Since", cell: (item) => time(item.since, { isShort: true }) },
        { title: "Writers", cell: (item) => writersView(item.writers) },
        ...(mayChange ? ["report", "refuse", "cancel", "drop"].map((action) => ({
          title: action[0].toUpperCase() + action.slice(1),
          cell: (item) => (isPossible(item, action)
            ? button(words(action, item.place), () => act(context, item.place, action), {
              kind: "quiet", focus: `${action}-${item.place}`,
            }) : ""),
        })) : []),
      ],
    }),
    mayChange && newRetirement(context),
  ];
}

function words(action, place) {
  return `${action[0].toUpperCase()}${action.slice(1)} ${place}`;
}

function isPossible(item, action) {
  switch (item.phase) {
    case "reported": return action !== "report";
    case "refused": return action !== "refuse";
    default: return false;
  }
}

function writersView(writers) {
  if (writers.length === 0) return "no device";
  return h("details", {}, h("summary", {}, counted(writers.length, "device")),
    h("ul", {}, writers.map((writer) => h("li", {}, userText(writer.deviceID), " of ",
      userText(writer.userRecordName), ", ", counted(writer.writes, "write"), ", ",
      time(writer.lastWrite, { isShort: true })))));
}

async function act({ store, screen }, place, action) {
  const body = { ...store, place, action };
  const done = await askAndRun({
    title: `${words(action, place)}?`, button: words(action, place), endpoint: "schema/retire",
    body, typed: action === "drop" ? place : undefined, sentences: [effects[action]],
    run: () => manage("schema/retire", body),
  });
  if (!done) return;
  report(`${place}: ${action} is done.`);
  screen.again();
}

function newRetirement({ store, screen }) {
  const title = "Retire or rename a field or a record type";
  return h("details", {}, h("summary", {}, title), requestForm({
    label: "Retire", button: "Begin", endpoint: "schema/retire",
    fields: [
      field({ label: "Field or record type", name: "place", required: true, spellcheck: "false",
        hint: "for example Note.title" }),
      field({ label: "New name", name: "newName", spellcheck: "false",
        hint: "only to rename a field" }),
    ],
    submit: async ({ place, newName }) => {
      await manage("schema/retire", {
        ...store, place: place.trim(),
        ...(newName ? { action: "rename", newName: newName.trim() } : { action: "report" }),
      });
      report("The retirement has begun.");
      screen.again();
    },
  }));
}
