// Shows a conflict: the server's record differs from the one that was edited.

import { h, userText } from "../dom.js";
import { fieldCell } from "../fields/show.js";
import { isSameField } from "../fields/values.js";
import { button } from "../parts/page.js";
import { time } from "../time.js";

/**
 * Creates the box that asks whether the values of the editor replace those of the server.
 *
 * @param {object} record the record as it was when the editor opened.
 * @param {object} server the stored record.
 * @param {() => void} saveMine saves the values of the editor over those of the server.
 */
export function conflictBox(record, server, editors, saveMine) {
  const names = [...editors.keys()].filter(
    (name) => !isSameField(record.fields[name], server.fields[name]));
  return h(
    "div", { class: "notice alarm", role: "alert" },
    h("p", {}, "Another save has changed this record ", time(server.modified.timestamp), ", by ",
      userText(server.modified.userRecordName ?? "unknown"), "."),
    names.map((name) => h(
      "div", { class: "conflict" },
      h("div", {}, h("strong", {}, `${name} before`), h("div", {}, fieldCell(record.fields[name]))),
      h("div", {}, h("strong", {}, `${name} on the server`),
        h("div", {}, fieldCell(server.fields[name]))))),
    h("p", {}, "Save your fields over the server's, or close the editor and open the record ",
      "again. ",
      "Fields that you have not changed keep the server's values."),
    h("div", { class: "actions" }, button("Save mine", saveMine, { kind: "danger" })));
}
