// The team: members of the console and their roles.

import { h, userText } from "../dom.js";
import { call } from "../server.js";
import { session } from "../session.js";
import { report } from "../parts/announce.js";
import { askAndRun, openDialog } from "../parts/dialog.js";
import { field, requestForm } from "../parts/form.js";
import { badge, button, heading } from "../parts/page.js";
import { table } from "../parts/table.js";
import { time } from "../time.js";

const roles = [
  { value: "owner", text: "owner: everything" },
  { value: "developer", text: "developer: records, schema, tokens; no deployment" },
  { value: "operator", text: "operator: accounts, containers, state; no records" },
  { value: "auditor", text: "auditor: state, requests and schema; changes nothing" },
];

export async function show(screen) {
  const { members } = await call("team/list", {}, { signal: screen.signal });
  screen.draw(
    heading("Team"),
    table({
      caption: "Members", rows: members,
      columns: [
        { title: "E-mail", cell: (member) => userText(member.email) },
        { title: "Role", cell: (member) => badge(member.role) },
        { title: "Containers", cell: (member) => userText(
          member.containerIDs?.join(", ") ?? "all") },
        { title: "Member since", cell: (member) => time(member.addedAt, { isShort: true }) },
        { title: "Last seen", cell: (member) => time(member.lastUsedAt, { isShort: true }) },
        { title: "Change", cell: (member) => button("Change", () => edit(screen, member),
          { kind: "quiet", focus: `change-${member.email}` }) },
        { title: "Remove", cell: (member) => button("Remove", () => remove(screen, member),
          { kind: "quiet", focus: `remove-${member.email}` }) },
      ],
    }),
    h("details", {}, h("summary", {}, "Add a member"), memberForm(screen, {
      button: "Add", endpoint: "team/add", isNew: true,
    })));
}

function memberForm(screen, { button: text, endpoint, member, isNew, onDone = () => {} }) {
  return requestForm({
    label: `${text} a member`, button: text, endpoint,
    fields: [
      isNew && field({ label: "E-mail", name: "email", type: "email", required: true,
        hint: "an account of this server" }),
      field({ label: "Role", name: "role", type: "select", options: roles,
        value: member?.role ?? "developer" }),
      field({ label: "Only these containers", name: "containers", type: "area",
        value: member?.containerIDs?.join("\n") ?? "", spellcheck: "false",
        hint: `one on each line; empty for all. There are: ${session.containerIDs.join(", ")}` }),
    ],
    submit: async ({ email = member?.email, role, containers }) => {
      const containerIDs = containers.split("\n").map((id) => id.trim()).filter(Boolean);
      await call(endpoint, {
        email, role, ...(containerIDs.length > 0 ? { containerIDs } : {}),
      });
      report(isNew ? `${email} is now a member.` : `${email} is changed.`);
      onDone();
      screen.again();
    },
  });
}

function edit(screen, member) {
  return openDialog(`Change ${member.email}`, (close) => memberForm(screen, {
    button: "Save", endpoint: "team/configure", member, onDone: () => close(true),
  }));
}

async function remove(screen, { email }) {
  const done = await askAndRun({
    title: "Remove the member?", button: "Remove", endpoint: "team/remove", body: { email },
    sentences: [`${email} can no longer use the console. The account and its data are kept.`],
    run: () => call("team/remove", { email }),
  });
  if (!done) return;
  report(`${email} is no longer a member.`);
  screen.again();
}
