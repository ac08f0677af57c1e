// The screen that shows why a device does not sync. The user consents with a code, which never
// becomes a part of the address.

import { h, userText } from "../dom.js";
import { manage } from "../server.js";
import { field, requestForm } from "../parts/form.js";
import { badge, button, facts, heading } from "../parts/page.js";
import { table } from "../parts/table.js";
import { sizeText, time } from "../time.js";

/** The last answer, the store that it describes, and the user's code. */
let shown = null;

export async function show(screen) {
  const { store } = screen;
  const isSame = shown && shown.store.containerID === store.containerID
    && shown.store.environment === store.environment;
  if (!isSame) shown = null;
  draw(screen);
}

function draw(screen) {
  screen.draw(
    heading("Devices", shown && button("Fetch again", () => fetchDevices(screen, shown.code))),
    h("p", {}, "Why does a device not sync? The user opens the page ",
      h("code", {}, "/account/devices"), " of this server and makes a code. With the code, you ",
      "see the state of the user's devices for an hour. You see no data of the user."),
    codeForm(screen), shown && answerView(shown.answer));
}

function codeForm(screen) {
  return requestForm({
    label: "Code of consent", button: "Show the devices", endpoint: "devices/list",
    fields: [field({ label: "Code", name: "code", required: true, spellcheck: "false",
      "data-filter": true, hint: "for example 7KQM-PX2A-W9TD-4HGN" })],
    submit: ({ code }) => fetchDevices(screen, code),
  });
}

async function fetchDevices(screen, code) {
  const answer = await manage("devices/list", { ...screen.store, code }, { signal: screen.signal });
  shown = { store: screen.store, code, answer };
  draw(screen);
}

function answerView({ userRecordName, endsAt, devices, unsavedBytes }) {
  return [
    facts([
      ["User", userText(userRecordName)], ["Consent ends", time(endsAt)],
      ["Uploaded and in no record", unsavedBytes > 0 ? sizeText(unsavedBytes) : "nothing"],
    ]),
    devices.length === 0 && h("p", { class: "empty" }, "The user has no device in this container."),
    devices.map(deviceView),
  ];
}

function deviceView(device) {
  return h(
    "section", {}, h("h2", {}, userText(device.deviceID), " ", userText(device.app)),
    device.findings.length === 0
      ? h("p", {}, badge("good", "good"), " Nothing seems wrong with this device.")
      : h("ul", { class: "notice" }, device.findings.map((text) => h("li", {}, userText(text)))),
    facts([
      ["Last request", time(device.lastSeen)], ["Last save", time(device.lastSave)],
      device.session && ["Session", h("code", {}, device.session)],
      device.uploadSince && ["Uploads without a save since", time(device.uploadSince)],
      ["Notifications", device.push ? device.push.channel : "not registered"],
      device.push && ["Last push", time(device.push.lastPush)],
      device.push && ["Waiting notifications", device.push.waiting === 0 ? "none"
        : [String(device.push.waiting), ", the oldest from ", time(device.push.waitingSince)]],
    ]),
    table({
      caption: `Zones of ${device.deviceID}`, rows: device.zones,
      empty: "The device has fetched no zone since the start of the server.",
      columns: [
        { title: "Zone", cell: (zone) => userText(zone.zoneName) },
        { title: "Owner", cell: (zone) => (zone.ownerRecordName
          ? userText(zone.ownerRecordName) : "the user") },
        { title: "Last token", cell: (zone) => time(zone.tokenAt, { isShort: true }) },
        { title: "Records behind", isNumber: true, cell: (zone) => (zone.lag === undefined
          ? "unknown" : zone.lag.toLocaleString("en")) },
        { title: "More followed", cell: (zone) => (zone.moreComing ? "yes" : "no") },
      ],
    }),
    table({
      caption: `Requests of ${device.deviceID}`, rows: device.requests,
      empty: "The device has sent no request since the start of the server.",
      columns: [
        { title: "Time", cell: (request) => time(request.time, { isShort: true }) },
        { title: "Endpoint", cell: (request) => userText(request.endpoint) },
        { title: "Outcome", cell: (request) => badge(request.outcome,
          request.outcome === "ok" ? "good" : "bad") },
        { title: "ms", isNumber: true, cell: (request) => request.milliseconds },
        { title: "Request ID", cell: (request) => request.requestID ?? "" },
      ],
    }));
}
