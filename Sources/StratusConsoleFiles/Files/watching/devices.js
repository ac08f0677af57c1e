// The timeline of a user's devices: "Why does this phone not sync?"

import { h, userText } from "../dom.js";
import { manage } from "../server.js";
import { say } from "../parts/announce.js";
import { field, requestForm } from "../parts/form.js";
import { badge, facts, heading } from "../parts/page.js";
import { table } from "../parts/table.js";
import { counted, time } from "../time.js";

export async function show(screen) {
  const { signal, store } = screen;
  const place = h("div");
  screen.draw(
    heading("Devices"),
    h("p", {}, "You see your own devices. To see those of another user, ask the user for a ",
      "consent code: the user makes one on the account page, and it ends after an hour."),
    requestForm({
      label: "Consent", button: "Show the user's devices",
      fields: [field({ label: "Consent code", name: "code", required: true, spellcheck: "false",
        hint: "The code never becomes a part of the address." })],
      submit: async ({ code }) => fill(place, await manage(
        "devices/timeline", { ...store, consentCode: code.trim() }, { signal })),
    }), place);
  fill(place, await manage("devices/timeline", store, { signal }));
}

function fill(place, { userRecordName, devices }) {
  place.replaceChildren(
    h("h2", {}, "Devices of ", userText(userRecordName)),
    ...(devices.length === 0
      ? [h("p", { class: "empty" }, "No device of this user has opened the container.")]
      : devices.map(deviceView)));
  say(`${counted(devices.length, "device")} shown.`);
}

function deviceView(device) {
  return h(
    "section", { class: "card" },
    h("h3", {}, userText(device.deviceID), " ",
      h("span", { class: "small" }, userText(device.app ?? ""))),
    device.findings.length > 0
      ? h("ul", { class: "notice alarm" }, device.findings.map((text) => h("li", {}, text)))
      : h("p", {}, badge("good", "good"), " The device follows its zones."),
    facts([
      ["Last push", device.lastPushAt ? time(device.lastPushAt) : "none"],
      ["Notifications", `${device.acknowledged} acknowledged, ${device.queued} waiting`],
    ]),
    table({
      caption: `Zones of ${device.deviceID}`, rows: device.zones,
      empty: "The device has read no zone.",
      columns: [
        { title: "Zone", cell: (zone) => userText(zone.zoneName) },
        { title: "Last read", cell: (zone) => time(zone.readAt, { isShort: true }) },
        { title: "Changes behind", isNumber: true, cell: (zone) => zone.lag.toLocaleString("en") },
      ],
    }),
    h("details", {}, h("summary", {}, counted(device.events.length, "event")),
      h("ol", { class: "timeline" }, device.events.map((event) => h(
        "li", { class: event.kind === "error" ? "bad" : null },
        time(event.time, { isShort: true }), " ", badge(event.kind,
          event.kind === "error" ? "bad" : ""), " ", userText(event.sentence))))));
}
