// Draws the shown screen again when something that it shows has changed on the server.

import { h } from "./dom.js";
import { listen } from "./live.js";
import { hush } from "./parts/announce.js";
import { concerns } from "./screens.js";

/** The time for which changes are collected before the screen is drawn again. */
const pauseMilliseconds = 300;

/** The banner for a screen that is not drawn again by itself, because the person is using it. */
export const staleBanner = h("p", { class: "banner", role: "status", hidden: true });

/** Whether the person has typed or ticked something since the screen was drawn. */
let isTouched = false;
let again = () => {};
let timer = null;
let isStale = false;

/**
 * Watches a screen until the signal is aborted.
 *
 * @param {object} screen an item of `screens`. `areas` are the areas of changes that it shows.
 *   `isTimed` is true if it also shows counters, which change without an event.
 * @param {object} place the address of the screen.
 * @param {() => Promise<void>} drawAgain fetches and draws the screen.
 */
export function watch(screen, place, drawAgain, signal) {
  forget();
  again = drawAgain;
  if (!screen.areas) return;
  let heartbeats = 0;
  listen({
    changes: ({ changes = [] }) => {
      if (changes.some((change) => concerns(change, screen, place))) plan();
    },
    status: () => {
      // NB: the first heartbeat may come immediately after the screen was drawn.
      heartbeats += 1;
      if (screen.isTimed && heartbeats > 1 && !isInUse()) plan();
    },
    reconnected: plan,
  }, signal);
}

/** Forgets the use of the screen and the changes of its data, because it is drawn anew. */
export function forget() {
  clearTimeout(timer);
  [timer, isTouched, isStale] = [null, false, false];
  staleBanner.hidden = true;
}

function plan() {
  isStale = true;
  if (document.hidden || timer) return;
  timer = setTimeout(() => {
    timer = null;
    if (isInUse()) showBanner();
    else draw();
  }, pauseMilliseconds);
}

async function draw() {
  forget();
  const speak = hush();
  try {
    await again();
  } finally {
    speak();
  }
}

/** Whether the person is using the screen, so that a new drawing would disturb. */
function isInUse() {
  if (isTouched || document.querySelector("dialog[open]")) return true;
  const main = document.getElementById("main");
  const active = document.activeElement;
  if (!main.contains(active) || active === main || active.matches("h1")) return false;
  // NB: `draw` gives the focus back to the element with the same `data-focus`.
  return active.dataset.focus === undefined || active.matches("input, select, textarea");
}

function showBanner() {
  if (!staleBanner.hidden) return;
  staleBanner.hidden = false;
  staleBanner.replaceChildren(
    "The data of this screen has changed. ",
    h("button", { type: "button", on: { click: () => {
      document.querySelector("main h1")?.focus();
      draw();
    } } }, "Show the changes"));
}

document.addEventListener("input", (event) => {
  if (document.getElementById("main")?.contains(event.target)) isTouched = true;
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && isStale && staleBanner.hidden) plan();
});
