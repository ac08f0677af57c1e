// The editor of a schema's text, with colours and with the faults in their places.

import { h } from "../dom.js";
import { manage } from "../server.js";
import { say } from "../parts/announce.js";
import { button } from "../parts/page.js";
import { tokensOf } from "./highlight.js";
import { reviewChange } from "./report.js";

/** Texts that are not saved yet, by their stores. They live as long as the page. */
const unsaved = new Map();
/** The maximum length of a text with colours. In a longer text, they would make typing slow. */
const colouredMax = 60_000;

/** Creates the editor. */
export function textView({ store, draft, screen, mayChange }) {
  const key = `${store.containerID} ${store.environment}`;
  const colours = h("pre", { "aria-hidden": "true" });
  const faultList = h("div", { role: "status" });
  const area = h("textarea", {
    "aria-label": "Schema as text", spellcheck: "false", autocapitalize: "off", wrap: "off",
    readonly: !mayChange, "data-focus": "schema-text", value: unsaved.get(key) ?? draft.text,
  });
  let faults = [];
  const colour = () => drawColours(colours, area, faults);
  let timer = null;
  const check = async () => {
    const text = area.value;
    try {
      const answer = await manage(
        "schema/describe", { ...store, schema: text }, { signal: screen.signal });
      if (area.value !== text) return;
      ({ faults } = answer);
      faultList.replaceChildren(faultsView(faults, area));
      area.setAttribute("aria-invalid", String(faults.length > 0));
      colour();
    } catch (error) {
      if (error.name !== "AbortError") faultList.textContent = error.message;
    }
  };
  area.addEventListener("input", () => {
    unsaved.set(key, area.value);
    faults = [];
    colour();
    clearTimeout(timer);
    timer = setTimeout(check, 400);
  });
  area.addEventListener("scroll", () => {
    colours.scrollTop = area.scrollTop;
    colours.scrollLeft = area.scrollLeft;
  });
  colour();
  check();
  return h("div", {},
    h("div", { class: "code" }, colours, area), faultList,
    mayChange && h("div", { class: "actions" },
      button("Review and save", async () => {
        const isDone = await reviewChange({ ...store, schema: area.value });
        if (!isDone) return;
        unsaved.delete(key);
        draft.discard();
        screen.again();
      }),
      button("Discard the text", () => {
        unsaved.delete(key);
        screen.again();
      }, { kind: "quiet" }),
      fileButton((text) => {
        area.value = text;
        area.dispatchEvent(new Event("input"));
        say("The file is read. It is not saved yet.");
      })));
}

function drawColours(colours, area, faults) {
  const text = area.value;
  area.classList.toggle("plain", text.length > colouredMax);
  if (text.length > colouredMax) {
    colours.replaceChildren(text);
    return;
  }
  const lines = new Set(faults.map((fault) => fault.line));
  let line = 1;
  colours.replaceChildren(...tokensOf(text).map((token) => {
    const isFaulty = lines.has(line) && token.kind !== "";
    line += token.text.split("\n").length - 1;
    return h("span", {
      class: [token.kind && `token-${token.kind}`, isFaulty && "token-fault"]
        .filter(Boolean).join(" ") || null,
    }, token.text);
  }), "\n");
}

function faultsView(faults, area) {
  if (faults.length === 0) return h("p", { class: "small" }, "The text has no faults.");
  return h("ul", { class: "notice alarm" }, faults.map(({ line, column, reason }) => h(
    "li", {}, h("button", {
      type: "button", class: "quiet",
      on: { click: () => select(area, line ?? 1, column ?? 1) },
    }, `Line ${line ?? "?"}`), " ", reason)));
}

/** Moves the cursor of the text area to a fault. */
function select(area, line, column) {
  const start = area.value.split("\n").slice(0, line - 1).reduce(
    (sum, text) => sum + text.length + 1, 0) + column - 1;
  area.focus();
  area.setSelectionRange(start, start);
  const height = Number.parseFloat(getComputedStyle(area).lineHeight) || 20;
  area.scrollTop = Math.max(0, (line - 5) * height);
}

function fileButton(onText) {
  const input = h("input", {
    type: "file", accept: ".ckdb,.txt", id: "schema-file",
    on: {
      change: async () => {
        const [file] = input.files;
        if (file && file.size <= 2 * 1_048_576) onText(await file.text());
      },
    },
  });
  return h("div", { class: "field" }, h("label", { for: "schema-file" }, "Read a .ckdb file"),
    input);
}
