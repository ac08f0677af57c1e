// The frame around each screen: the container's selector and the navigation.

import { h, draw, userText } from "./dom.js";
import { change, currentPlace, screenAddress } from "./address.js";
import { call } from "./server.js";
import { connection } from "./live.js";
import { staleBanner } from "./refresh.js";
import { may, session } from "./session.js";
import { screens } from "./screens.js";
import { optionOf } from "./parts/form.js";
import { showKeys } from "./keys.js";
import { reportFailure } from "./parts/announce.js";

const header = h("header");
const navigation = h("nav", { class: "screens", "aria-label": "Screens" });
const lost = h("p", { class: "banner alarm", role: "alert", hidden: true },
  "The connection to the server is interrupted. The console tries again by itself.");
const updated = h("p", { class: "banner", role: "status", hidden: true });

/** The element in which screens draw. */
export const main = h("main", { id: "main" });

/** Creates the frame. */
export function makeFrame() {
  connection.lost = () => { lost.hidden = false; };
  connection.restored = () => { lost.hidden = true; };
  connection.updated = ({ version }) => {
    if (!version || version === session.version || !updated.hidden) return;
    updated.hidden = false;
    updated.replaceChildren(
      `The server now has version ${version}. `,
      h("button", { type: "button", on: { click: () => location.reload() } }, "Load again"));
  };
  return [
    h("a", { class: "skip", href: "#main" }, "To the content"),
    header,
    h("div", { class: "banners", role: "region", "aria-label": "Notices" }, lost, updated,
      staleBanner),
    h("div", { class: "columns" }, navigation, main),
  ];
}

/** Draws the frame for an address. */
export function drawFrame(place) {
  draw(header,
    h("a", { class: "brand", href: screenAddress("/") }, "Stratus"),
    session.member && selectors(place),
    session.member && memberMenu());
  header.hidden = false;
  navigation.hidden = !session.member;
  draw(navigation, session.member && groups(place));
}

function selectors(place) {
  const containers = session.containerIDs;
  const chosen = place.params.container ?? "";
  return h(
    "div", { class: "selectors" },
    h("label", { for: "container" }, "Container"),
    h("select", {
      id: "container", value: chosen, "data-focus": "container",
      on: { change: (event) => change({ container: event.target.value, ...forgotten }) },
    }, [{ value: "", text: "Choose …" },
      ...containers.map((id) => ({ value: id, text: id }))].map(optionOf)),
    h("label", { for: "environment" }, "Environment"),
    h("select", {
      id: "environment", value: place.params.environment ?? "development",
      "data-focus": "environment",
      class: place.params.environment === "production" ? "production" : null,
      on: { change: (event) => change({ environment: event.target.value, ...forgotten }) },
    }, ["development", "production"].map(optionOf)),
    (session.testAccounts.length > 0 || place.params.as) && actor(place));
}

/** Creates the selector of the user whose databases are shown: the member, or a test account. */
function actor(place) {
  const chosen = place.params.as ?? "";
  const emails = session.testAccounts.includes(chosen) || !chosen
    ? session.testAccounts : [chosen, ...session.testAccounts];
  return [
    h("label", { for: "actor" }, "Act as"),
    h("select", {
      id: "actor", value: chosen, "data-focus": "actor", class: chosen ? "production" : null,
      on: { change: (event) => change({ as: event.target.value, ...forgotten }) },
    }, [{ value: "", text: "yourself" },
      ...emails.map((email) => ({ value: email, text: `${email} (test)` }))].map(optionOf)),
  ];
}

/**
 * Parameters that are removed when the container, the environment or the acting user changes,
 * because they name something that may not exist there.
 */
const forgotten = {
  record: "", names: "", after: "", before: "", token: "", zone: "", owner: "", type: "",
  filters: "", sort: "", user: "",
};

function memberMenu() {
  const { member } = session;
  return h(
    "details", { class: "menu" },
    h("summary", {}, userText(member.email), " ", h("span", { class: "small" }, member.role)),
    h("div", { class: "menu-body" },
      h("button", { type: "button", class: "quiet", on: { click: showKeys } }, "Keys"),
      h("button", { type: "button", class: "quiet", on: { click: signOut } }, "Sign out")));
}

async function signOut() {
  try {
    await call("session/sign-out");
    location.assign("/");
  } catch (error) {
    reportFailure(error);
  }
}

/** Whether there is room for the navigation beside the screen. */
const hasRoom = window.matchMedia("(min-width: 60rem)");
hasRoom.addEventListener("change", () => drawFrame(currentPlace()));

function groups(place) {
  const shown = screens.filter((screen) => may(screen.permission));
  const names = [...new Set(shown.map((screen) => screen.group))];
  const lists = names.map((name) => h(
    "div", { class: "group" }, h("h2", {}, name),
    h("ul", {}, shown.filter((screen) => screen.group === name).map((screen) => h(
      "li", {},
      h("a", {
        href: screenAddress(screen.path), "data-focus": `screen-${screen.path}`,
        "aria-current": screen.path === place.path ? "page" : null,
      }, screen.title))))));
  if (hasRoom.matches) return lists;
  return h("details", { class: "screens-menu" }, h("summary", {}, "Screens"), lists);
}
