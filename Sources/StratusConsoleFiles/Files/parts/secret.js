// Shows a secret once.

import { h } from "../dom.js";
import { button } from "./page.js";
import { openDialog } from "./dialog.js";
import { say } from "./announce.js";

/** Shows a text that the server will not show again. */
export function showSecret(title, sentences, text) {
  return openDialog(title, (close) => [
    sentences.map((sentence) => h("p", {}, sentence)),
    copyable(text),
    h("div", { class: "actions" }, button("I have stored it", () => close(true))),
  ]);
}

/** Shows a text with a button that copies it. */
export function copyable(text, label = "Copy") {
  return h(
    "div", { class: "copyable" },
    h("pre", { tabindex: "0", "aria-label": "Text to copy" }, text),
    button(label, async () => {
      try {
        await navigator.clipboard.writeText(text);
        say("The text is in the clipboard.");
      } catch {
        say("The browser did not allow the copy. Select the text and copy it.");
      }
    }, { focus: `copy-${label}` }));
}
