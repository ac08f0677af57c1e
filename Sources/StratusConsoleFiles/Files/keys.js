// Keys that work on every screen.

import { h } from "./dom.js";
import { go, screenAddress } from "./address.js";
import { openDialog } from "./parts/dialog.js";
import { screens } from "./screens.js";
import { may } from "./session.js";

const settingName = "stratus-single-keys";
let waitsForScreen = false;

/** Whether keys without a modifier work. People who dictate may switch them off (WCAG 2.1.4). */
export function singleKeysWork() {
  return localStorage.getItem(settingName) !== "off";
}

export function listenForKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const isTyping = event.target.closest?.("input, textarea, select, [contenteditable], dialog");
    if (isTyping || !singleKeysWork()) return;
    if (waitsForScreen) {
      waitsForScreen = false;
      const screen = screens.find((screen) => screen.key === event.key && may(screen.permission));
      if (!screen) return;
      event.preventDefault();
      go(screenAddress(screen.path));
    } else if (event.key === "g") {
      waitsForScreen = true;
      setTimeout(() => { waitsForScreen = false; }, 2_000);
    } else if (event.key === "/") {
      const filter = document.querySelector("main [data-filter]");
      if (!filter) return;
      event.preventDefault();
      filter.focus();
    } else if (event.key === "?") {
      event.preventDefault();
      showKeys();
    }
  });
}

/** Shows all keys. */
export function showKeys() {
  const rows = [
    ["Arrows, Home, End, Page Up, Page Down", "move in a table"],
    ["Ctrl+Home, Ctrl+End", "first and last cell of a table"],
    ["Enter", "edit the cell, or open the row"],
    ["Space", "select the row"],
    ["Shift+Arrow up, Shift+Arrow down", "extend the selection"],
    ["/", "go to the filter"],
    ["?", "show this list"],
    ...screens.filter((screen) => screen.key && may(screen.permission))
      .map((screen) => [`g ${screen.key}`, `open ${screen.title}`]),
  ];
  const box = h("input", {
    type: "checkbox", id: "single-keys", checked: singleKeysWork(),
    on: { change: () => localStorage.setItem(settingName, box.checked ? "on" : "off") },
  });
  return openDialog("Keys", () => [
    h("p", { class: "field check" }, box,
      h("label", { for: "single-keys" }, "Keys without Ctrl or Alt open screens and filters")),
    h("dl", { class: "facts" }, rows.map(([key, effect]) => h(
      "div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, effect)))),
  ]);
}
