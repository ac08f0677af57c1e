// Shows what a change of a schema does, and makes it.

import { h } from "../dom.js";
import { manage } from "../server.js";
import { commandNote } from "../commands.js";
import { failureBox, report } from "../parts/announce.js";
import { openDialog } from "../parts/dialog.js";

/** Shows the faults of the text, and the refusals, losses and steps of the change. */
export function reportView({ faults, refusals, warnings, steps }) {
  const list = (title, messages, kind) => messages.length > 0 && h(
    "section", { class: `notice ${kind}` }, h("h3", {}, title),
    h("ul", {}, messages.map(({ line, column, reason }) => h("li", {},
      line ? `Line ${line}${column ? `, column ${column}` : ""}: ` : "", reason))));
  return [
    list("Faults of the text", faults, "alarm"), list("Refused", refusals, "alarm"),
    list("Losses", warnings, ""),
    steps.length > 0
      ? h("section", {}, h("h3", {}, "Steps"),
        h("ul", { class: "steps" }, steps.map((step) => h("li", {}, h("code", {}, step)))))
      : faults.length + refusals.length === 0 && h("p", {}, "There is no difference."),
  ];
}

/**
 * Shows what a change would do, and makes it if the person agrees.
 *
 * @param {object} body the request of `schema/change`.
 * @returns {Promise<boolean>} whether the schema has changed.
 */
export async function reviewChange(body, { title = "Review the change", mayApply = true } = {}) {
  const done = await openDialog(title, (close) => {
    const place = h("div", { role: "status" }, "The server compares the schemas …");
    manage("schema/change", { ...body, isDryRun: true }).then(
      (result) => place.replaceChildren(
        ...nodes(reportView(result)), ...nodes(agreement(result, body, mayApply, place, close))),
      (error) => place.replaceChildren(failureBox(error)));
    return place;
  }, { isWide: true });
  return done === true;
}

function nodes(parts) {
  return parts.flat(Infinity).filter(Boolean);
}

function agreement(result, body, mayApply, place, close) {
  if (!result.isValid || result.steps.length === 0) return [];
  if (!mayApply) {
    return [h("p", { class: "notice" },
      "Your role may compare, and not change. Send an owner the address of this page.")];
  }
  const apply = h("button", {
    type: "button", class: result.warnings.length > 0 ? "danger" : null,
    on: {
      click: async () => {
        apply.disabled = true;
        try {
          const made = await manage("schema/change", body);
          if (!made.isApplied) {
            place.replaceChildren(...nodes(reportView(made)));
            return;
          }
          report("The schema is changed.");
          close(true);
        } catch (error) {
          apply.disabled = false;
          place.append(failureBox(error));
        }
      },
    },
  }, result.warnings.length > 0 ? "Make the change with these losses" : "Make the change");
  return [commandNote("schema/change", body), h("div", { class: "actions" }, apply)];
}
