// The screen of server-to-server keys.

import { h, userText } from "../dom.js";
import { manage } from "../server.js";
import { session } from "../session.js";
import { report } from "../parts/announce.js";
import { askAndRun } from "../parts/dialog.js";
import { field, requestForm } from "../parts/form.js";
import { badge, button, heading } from "../parts/page.js";
import { showSecret } from "../parts/secret.js";
import { table } from "../parts/table.js";
import { time } from "../time.js";

export async function show(screen) {
  const { place, signal } = screen;
  const { serverKeys } = await manage("server-keys/list", {}, { signal });
  const { container } = place.params;
  screen.draw(
    heading("Server keys"),
    h("p", {}, "A program signs its requests to a public database with a server-to-server key. ",
      "The server has only the public half."),
    table({
      caption: "Server keys", rows: serverKeys.filter(
        (key) => !container || key.containerID === container),
      empty: "There is no server key yet.",
      columns: [
        { title: "Name", cell: (key) => userText(key.name || key.id.slice(0, 8)) },
        { title: "Key ID", cell: (key) => h("code", {}, key.id) },
        { title: "Container", cell: (key) => userText(key.containerID) },
        { title: "Environment", cell: (key) => key.environment },
        { title: "User record", cell: (key) => userText(key.userRecordName) },
        { title: "Created", cell: (key) => time(key.createdAt, { isShort: true }) },
        { title: "State", cell: (key) => (key.revokedAt
          ? [badge("revoked", "bad"), " ", time(key.revokedAt, { isShort: true })]
          : badge("valid", "good")) },
        { title: "Action", cell: (key) => (key.revokedAt ? "" : button("Revoke",
          () => revoke(screen, key), { kind: "quiet", focus: `revoke-${key.id}` })) },
      ],
    }),
    newKey(screen));
}

function newKey(screen) {
  const { container, environment = "development" } = screen.place.params;
  return h("details", {}, h("summary", {}, "Register a public key"), requestForm({
    label: "Register a public key", button: "Register", endpoint: "server-keys/add",
    fields: [
      field({ label: "Container", name: "containerID", type: "select", value: container,
        options: session.containerIDs }),
      field({ label: "Environment", name: "environment", type: "select", value: environment,
        options: ["development", "production"] }),
      field({ label: "Name", name: "name" }),
      field({ label: "Public key", name: "publicKey", type: "area", required: true,
        spellcheck: "false", hint: "the text of the PEM file that begins with BEGIN PUBLIC KEY" }),
    ],
    submit: async (values) => {
      if (/PRIVATE KEY/.test(values.publicKey)) {
        throw new Error("This is a private key. Keep it, and paste the public key.");
      }
      const { id } = await manage("server-keys/add", values);
      await showSecret("The new server key", ["The program names this key ID in each request."],
        id);
      screen.again();
    },
  }));
}

async function revoke(screen, { id, name }) {
  const done = await askAndRun({
    title: "Revoke the server key?", button: "Revoke", endpoint: "server-keys/revoke",
    body: { id },
    sentences: [`Programs with the key ${name || id.slice(0, 8)} are refused from now on.`],
    run: () => manage("server-keys/revoke", { id }),
  });
  if (!done) return;
  report("The server key is revoked.");
  screen.again();
}
