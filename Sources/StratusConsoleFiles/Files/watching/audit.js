// The audit log: who changed which account, key, token, role or container.

import { h, userText } from "../dom.js";
import { addressOf } from "../address.js";
import { manage } from "../server.js";
import { say } from "../parts/announce.js";
import { field } from "../parts/form.js";
import { filterForm, heading, nextPage } from "../parts/page.js";
import { table } from "../parts/table.js";
import { counted, time } from "../time.js";

/** The number of entries that the server returns at once. */
const pageLength = 200;
const actors = [
  { value: "", text: "anyone" }, { value: "operator", text: "the operator" },
  { value: "member", text: "a member of the team" },
  { value: "user", text: "the user of the account" },
];

export async function show(screen) {
  const { place, signal } = screen;
  const { params } = place;
  const before = Number(params.before);
  const { entries } = await manage("audit/list", {
    email: params.account, limit: pageLength, before: before > 0 ? before : undefined,
  }, { signal });
  const rows = entries.filter((entry) => matches(entry, params));
  const last = entries.length < pageLength ? null : entries.at(-1).number;
  screen.draw(
    heading("Audit log"), form(params), list(place, rows),
    nextPage(place, "before", last));
  say(`${counted(rows.length, "entry", "entries")}${last ? ", and there are older ones" : ""}.`);
}

/** Whether an entry passes the filters that the server does not know. */
export function matches(entry, { actor, action, container }) {
  if (actor && entry.actor !== actor) return false;
  if (action && !entry.action.includes(action)) return false;
  return !container || entry.containerID === container;
}

function form(params) {
  return filterForm("Filter", [
    field({ label: "Account", name: "account", type: "search", value: params.account,
      "data-filter": true, spellcheck: "false", hint: "the e-mail of an account of this server" }),
    field({ label: "By", name: "actor", type: "select", options: actors,
      value: params.actor ?? "" }),
    field({ label: "Action", name: "action", value: params.action, spellcheck: "false",
      placeholder: "accounts/disable" }),
    field({ label: "Container", name: "container", value: params.container, spellcheck: "false" }),
  ]);
}

function list(place, rows) {
  const link = (name, value) => (value
    ? h("a", { href: addressOf(place.path, { ...place.params, [name]: value, before: "" }) },
      userText(value))
    : "–");
  return table({
    caption: "Entries", rows, empty: "No entry matches the filter.",
    columns: [
      { title: "Number", isNumber: true, cell: ({ number }) => String(number) },
      { title: "Time", cell: (entry) => time(entry.time) },
      { title: "By", cell: (entry) => userText(entry.member ?? entry.actor) },
      { title: "Action", cell: ({ action }) => link("action", action) },
      { title: "Account", cell: ({ account }) => link("account", account) },
      { title: "Container", cell: ({ containerID }) => link("container", containerID) },
      { title: "Environment", cell: ({ environment }) => environment ?? "–" },
      { title: "Subject", cell: ({ subject }) => userText(subject || "–") },
    ],
  });
}
