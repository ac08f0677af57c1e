// Starts the console, and shows the screen of each address.

import { h, append, draw } from "./dom.js";
import { currentPlace, followLinks, go, onPlaceChange } from "./address.js";
import { asks, markAutomatic } from "./server.js";
import { listen } from "./live.js";
import { forget, watch } from "./refresh.js";
import { fetchSession, may, session } from "./session.js";
import { drawFrame, main, makeFrame } from "./frame.js";
import { listenForKeys } from "./keys.js";
import { screens } from "./screens.js";
import { announcements, failureBox } from "./parts/announce.js";
import { askForPassword, askForSignIn, showSetUp, showSignIn } from "./signIn.js";

let shownPath = null;
let running = new AbortController();

/** Is aborted when the person opens an address. An automatic drawing does not abort it. */
let staying = new AbortController();

async function show(place, { isAutomatic = false } = {}) {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  if (isAutomatic) {
    markAutomatic(signal);
  } else {
    staying.abort();
    staying = new AbortController();
    forget();
    drawFrame(place);
  }
  if (!session.member) return session.isSetUp ? showSignIn(main, start) : showSetUp(main, start);
  const screen = screens.find((screen) => screen.path === place.path);
  const isNew = place.path !== shownPath;
  shownPath = place.path;
  document.title = `${screen?.title ?? "Not found"} – Stratus`;
  if (isNew) draw(main, h("h1", { tabindex: "-1" }, screen?.title ?? "Not found"));
  main.setAttribute("aria-busy", "true");
  try {
    const module = await fill(screen, place, signal);
    if (module && !isAutomatic && !signal.aborted) {
      watch(screen, place, () => show(currentPlace(), { isAutomatic: true }), staying.signal);
    }
  } catch (error) {
    if (signal.aborted) return;
    // NB: if an automatic drawing fails, the screen stays as it is.
    if (isAutomatic) return;
    draw(main, h("h1", { tabindex: "-1" }, screen?.title ?? "Not found"),
      failureBox(error, { retry: () => show(currentPlace()) }));
  } finally {
    if (!signal.aborted) main.removeAttribute("aria-busy");
  }
  if (isNew && !signal.aborted) main.querySelector("h1")?.focus();
}

/** Draws a screen. Returns its module, or null if a note is shown instead. */
async function fill(screen, place, signal) {
  const title = screen?.title ?? "Not found";
  const note = noteInstead(screen, place);
  if (note) {
    draw(main, h("h1", { tabindex: "-1" }, title), h("p", {}, note));
    return null;
  }
  const module = await screen.load();
  if (signal.aborted) return null;
  const { container } = place.params;
  const environment = place.params.environment ?? "development";
  await module.show({
    root: main, place, signal,
    store: { containerID: container, environment },
    target: { container, environment, database: place.params.database, as: place.params.as },
    /** Draws the screen, unless the person has left it. */
    draw: (...children) => { if (!signal.aborted) draw(main, ...children); },
    /** Fetches and draws everything again. */
    again: () => show(currentPlace()),
    listen: (listeners) => listen(listeners, signal),
  });
  return module;
}

/** Returns the sentence to show instead of a screen that cannot be shown, or null. */
function noteInstead(screen, place) {
  if (!screen) return "There is no screen at this address. Choose one from the list.";
  if (!may(screen.permission)) {
    return `Your role in the team, ${session.member.role}, does not allow this screen. `
      + "An owner can change your role.";
  }
  if (screen.needs && !place.params.container) {
    return session.containerIDs.length === 0
      ? "There is no container yet. Make one on the screen Containers."
      : "Choose a container at the top of the page.";
  }
  return null;
}

async function start() {
  await fetchSession();
  // NB: `/set-up` is not the path of a screen. The server prints it for the first owner.
  if (session.member && currentPlace().path === "/set-up") go("/");
  else await show(currentPlace());
}

asks.signIn = () => askForSignIn(() => drawFrame(currentPlace()));
asks.password = askForPassword;
append(document.getElementById("console"), [makeFrame(), announcements]);
followLinks(document.body);
listenForKeys();
onPlaceChange(show);
start().catch((error) => draw(
  main, h("h1", { tabindex: "-1" }, "Stratus"),
  failureBox(error, { retry: () => location.reload() })));
