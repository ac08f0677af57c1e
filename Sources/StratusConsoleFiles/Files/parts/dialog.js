// Dialogs. The browser's own dialog element keeps the focus inside. When a dialog closes, the focus
// returns to the element that had it before.

import { h, newID } from "../dom.js";
import { commandNote } from "../commands.js";
import { failureBox } from "./announce.js";

/**
 * Opens a dialog.
 *
 * @param {string} title
 * @param {(close: (result: any) => void) => any} makeContent returns the content. It gets the
 *   function that closes the dialog with a result.
 * @returns {Promise<any>} the result, or undefined if the person closed the dialog.
 */
export function openDialog(title, makeContent, { isWide = false } = {}) {
  return new Promise((resolve) => {
    const id = newID("dialog");
    const before = document.activeElement;
    let result;
    const close = (value) => {
      result = value;
      dialog.close();
    };
    const dialog = h(
      "dialog", { "aria-labelledby": id, class: isWide ? "wide" : null },
      h("div", { class: "dialog-head" },
        h("h2", { id, tabindex: "-1" }, title),
        h("button", { type: "button", class: "quiet", on: { click: () => close() } }, "Close")),
      h("div", { class: "dialog-body" }, makeContent(close)));
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before?.isConnected) before.focus();
      else document.querySelector("main h1")?.focus();
      resolve(result);
    });
    document.body.append(dialog);
    dialog.showModal();
    (dialog.querySelector("[autofocus]") ?? dialog.querySelector("h2")).focus();
  });
}

/**
 * Asks before an action, and runs it.
 *
 * @param {object} action
 * @param {string} action.title a question, for example "Delete the zone?"
 * @param {string[]} action.sentences what happens, and whether it can be undone.
 * @param {string} action.button the text of the button.
 * @param {string} [action.endpoint] the endpoint, to show the command with the same effect.
 * @param {object} [action.body] the body of the endpoint's request.
 * @param {string} [action.typed] a text that the person must type first.
 * @param {() => Promise<any>} action.run the action. Its error is shown in the dialog.
 * @param {boolean} [action.isMild] whether the button has the usual colour, not that of a danger.
 * @returns {Promise<boolean>} whether the action was run without an error.
 */
export async function askAndRun(action) {
  const done = await openDialog(action.title, (close) => {
    const problem = h("div");
    const id = newID("typed");
    const input = action.typed && h("input", { id, autocomplete: "off", spellcheck: "false" });
    const button = h("button", { class: action.isMild ? null : "danger" }, action.button);
    const submit = async (event) => {
      event.preventDefault();
      if (input && input.value !== action.typed) {
        problem.replaceChildren(
          failureBox(new Error(`Type ${action.typed} to confirm the action.`)));
        input.focus();
        return;
      }
      button.disabled = true;
      try {
        await action.run();
        close(true);
      } catch (error) {
        problem.replaceChildren(failureBox(error));
        button.disabled = false;
        button.focus();
      }
    };
    return h(
      "form", { on: { submit }, novalidate: true },
      action.sentences.map((text) => h("p", {}, text)),
      input && h("p", { class: "field" },
        h("label", { for: id }, "To confirm, type ", h("code", {}, action.typed)), input),
      action.endpoint && commandNote(action.endpoint, action.body ?? {}),
      problem,
      h("div", { class: "actions" },
        button,
        h("button", { type: "button", class: "quiet", on: { click: () => close(false) } },
          "Cancel")));
  });
  return done === true;
}
