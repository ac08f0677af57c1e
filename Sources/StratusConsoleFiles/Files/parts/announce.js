// Says results to people, also through a screen reader.

import { h, append } from "../dom.js";

const quiet = h("div", { class: "hidden", role: "status", "aria-live": "polite" });
const toasts = h("div", { class: "toasts", role: "region", "aria-label": "Messages" });

/** The elements that `main.js` puts into the page. */
export const announcements = [quiet, toasts];

/** The number of automatic drawings in progress. They are not announced. */
let hushCount = 0;

/** Suppresses announcements until the returned function is called. */
export function hush() {
  hushCount += 1;
  return () => { hushCount -= 1; };
}

/**
 * Lets a screen reader say a sentence that the screen does not show, for example how many rows the
 * screen shows.
 */
export function say(sentence) {
  if (hushCount > 0) return;
  quiet.textContent = "";
  // NB: a screen reader does not repeat a text that has not changed.
  requestAnimationFrame(() => { quiet.textContent = sentence; });
}

/** Shows that an action succeeded. The message disappears by itself. */
export function report(sentence) {
  const toast = h("p", { class: "toast" }, sentence);
  toasts.append(toast);
  say(sentence);
  setTimeout(() => toast.remove(), 8_000);
}

/** Shows an error until the person closes it. */
export function reportFailure(error) {
  if (error?.name === "AbortError") return;
  const toast = h("div", { class: "toast alarm", role: "alert" });
  append(toast, [
    failureText(error),
    h("button", { type: "button", class: "quiet", on: { click: () => toast.remove() } }, "Close"),
  ]);
  toasts.append(toast);
}

/** Shows an error in its place on the screen. */
export function failureBox(error, { retry } = {}) {
  return h(
    "div", { class: "notice alarm", role: "alert" }, failureText(error),
    retry && h("button", { type: "button", on: { click: retry } }, "Try again"));
}

function failureText(error) {
  const wait = error.retryAfterSeconds ? ` Try again in ${error.retryAfterSeconds} s.` : "";
  return [
    h("p", {}, `${sentence(error.message ?? String(error))}${wait}`),
    error.requestID && h("p", { class: "small" }, "Request ", h("code", {}, error.requestID)),
  ];
}

/** Returns the reason of a refusal as a sentence, with a capital letter and a full stop. */
export function sentence(text) {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
