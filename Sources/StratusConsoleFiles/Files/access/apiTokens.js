// The screen of API tokens.

import { h, userText } from "../dom.js";
import { manage } from "../server.js";
import { session } from "../session.js";
import { report } from "../parts/announce.js";
import { askAndRun } from "../parts/dialog.js";
import { field, requestForm } from "../parts/form.js";
import { button, heading } from "../parts/page.js";
import { showSecret } from "../parts/secret.js";
import { table } from "../parts/table.js";
import { time } from "../time.js";

export async function show(screen) {
  const { place, signal } = screen;
  const { apiTokens } = await manage("api-tokens/list", {}, { signal });
  const { container } = place.params;
  const shown = apiTokens.filter((token) => !container || token.containerID === container);
  screen.draw(
    heading("API tokens"),
    h("p", {}, "An app sends its API token with each request. The token of a web app stands in ",
      "its page, so it proves the app and no user. Allowed origins limit the pages that may use ",
      "it."),
    table({
      caption: "API tokens", rows: shown, empty: "There is no API token yet.",
      columns: [
        { title: "Name", cell: (token) => userText(token.name || token.id.slice(0, 8)) },
        { title: "Container", cell: (token) => userText(token.containerID) },
        { title: "Environment", cell: (token) => token.environment },
        { title: "Origins", cell: (token) => userText(token.allowedOrigins?.join(", ") ?? "all") },
        { title: "Sign-in goes to", cell: (token) => userText(token.callbackURL ?? "the page") },
        { title: "Created", cell: (token) => time(token.createdAt, { isShort: true }) },
        { title: "Action", cell: (token) => button("Revoke", () => revoke(screen, token),
          { kind: "quiet", focus: `revoke-${token.id}` }) },
      ],
    }),
    newToken(screen));
}

function newToken(screen) {
  const { container, environment = "development" } = screen.place.params;
  return h("details", {}, h("summary", {}, "Create an API token"), requestForm({
    label: "Create an API token", button: "Create", endpoint: "api-tokens/create",
    fields: [
      field({ label: "Container", name: "containerID", type: "select", value: container,
        options: session.containerIDs }),
      field({ label: "Environment", name: "environment", type: "select", value: environment,
        options: ["development", "production"] }),
      field({ label: "Name", name: "name", hint: "for your own overview" }),
      field({ label: "Allowed origins", name: "origins", type: "area", spellcheck: "false",
        hint: "one on each line, for example https://notes.example.org; empty for all" }),
      field({ label: "Callback URL", name: "callbackURL", type: "url", spellcheck: "false",
        hint: "the browser goes there after a sign-in; empty for a message to the page" }),
    ],
    submit: async ({ containerID, environment, name, origins, callbackURL }) => {
      const allowedOrigins = origins.split("\n").map((origin) => origin.trim()).filter(Boolean);
      const { token } = await manage("api-tokens/create", {
        containerID, environment, name,
        ...(allowedOrigins.length > 0 ? { allowedOrigins } : {}),
        ...(callbackURL ? { callbackURL } : {}),
      });
      await showSecret("The new API token", ["The server does not show the token again."], token);
      screen.again();
    },
  }));
}

async function revoke(screen, { id, name }) {
  const done = await askAndRun({
    title: "Revoke the API token?", button: "Revoke", endpoint: "api-tokens/revoke", body: { id },
    sentences: [`Apps with the token ${name || id.slice(0, 8)} are refused from now on.`],
    run: () => manage("api-tokens/revoke", { id }),
  });
  if (!done) return;
  report("The API token is revoked.");
  screen.again();
}
