// The screen of accounts: state and sessions.

import { h, userText } from "../dom.js";
import { addressOf, change } from "../address.js";
import { manage } from "../server.js";
import { report } from "../parts/announce.js";
import { askAndRun } from "../parts/dialog.js";
import { field, requestForm } from "../parts/form.js";
import { badge, button, facts, filterForm, heading } from "../parts/page.js";
import { table } from "../parts/table.js";
import { time } from "../time.js";

export async function show(screen) {
  const { place, signal } = screen;
  const { accounts } = await manage("accounts/list", {}, { signal });
  const opened = accounts.find((account) => account.email === place.params.account);
  if (opened) return showAccount(screen, opened);
  const search = (place.params.search ?? "").toLowerCase();
  const shown = accounts.filter((account) => account.email.toLowerCase().includes(search));
  screen.draw(
    heading("Users"),
    filterForm("Search", [field({ label: "E-mail contains", name: "search",
      value: place.params.search, type: "search", "data-filter": true })], "Search"),
    table({
      caption: "Accounts", rows: shown, empty: "No account has such an address.",
      onOpen: (account) => change({ account: account.email }),
      columns: [
        { title: "E-mail", cell: (account) => h("a", {
          href: addressOf(place.path, { ...place.params, account: account.email }),
        }, userText(account.email)) },
        { title: "State", cell: stateOf },
        { title: "Kind", cell: (account) => (account.isTest ? badge("test account") : "person") },
      ],
    }),
    newAccount(screen));
}

function stateOf(account) {
  if (!account.disabled && !account.restricted) return badge("enabled", "good");
  return [account.disabled && badge("disabled", "bad"), " ",
    account.restricted && badge("restricted", "bad")];
}

function newAccount(screen) {
  return h("details", {}, h("summary", {}, "Create an account"), requestForm({
    label: "Create an account", button: "Create", endpoint: "accounts/create",
    fields: [
      field({ label: "E-mail", name: "email", type: "email", required: true }),
      field({ label: "Password", name: "password", type: "password",
        autocomplete: "new-password", hint: "empty for an account that signs in by other means" }),
      field({ label: "Test account: members of the team can act in its name", name: "isTest",
        type: "check" }),
    ],
    submit: async ({ email, password, isTest }) => {
      await manage("accounts/create", {
        email, ...(password ? { password } : {}), ...(isTest ? { isTest } : {}),
      });
      report(`The account ${email} is created.`);
      screen.again();
    },
  }));
}

async function showAccount(screen, account) {
  const { signal, place } = screen;
  const { email } = account;
  const { webTokens } = await manage("web-tokens/list", {}, { signal });
  screen.draw(
    heading("User"),
    h("p", {}, h("a", { href: addressOf(place.path, { ...place.params, account: "" }) },
      "All users")),
    facts([["E-mail", userText(email)], ["State", stateOf(account)]]),
    h("div", { class: "actions" }, account.disabled
      ? button("Enable", () => act(screen, "accounts/enable", { email }, "Enable the account?",
        ["The account can sign in again."], true))
      : button("Disable", () => act(screen, "accounts/disable", { email }, "Disable the account?",
        ["All its sessions stop working until it is enabled again. Its data is kept."]),
      { kind: "danger" }), account.restricted
      ? button("End the restriction", () => act(screen, "accounts/unrestrict", { email },
        "End the restriction?", ["Requests for the account's data are answered again."], true))
      : button("Restrict", () => act(screen, "accounts/restrict", { email },
        "Restrict the account?", [
          "Its data is only stored: every request for it is refused, but the user can sign in.",
        ]), { kind: "danger" })),
    h("h2", {}, "Sessions of apps"),
    table({
      caption: "Sessions", rows: webTokens.filter((session) => session.email === email),
      empty: "No app has a session of this account.",
      columns: [
        { title: "Container", cell: (session) => userText(session.containerID) },
        { title: "Environment", cell: (session) => session.environment },
        { title: "Created", cell: (session) => time(session.createdAt, { isShort: true }) },
        { title: "Last used", cell: (session) => time(session.lastUsedAt, { isShort: true }) },
        { title: "Ends", cell: (session) => time(session.endsAt, { isShort: true }) },
        { title: "Action", cell: (session) => button("End", () => act(
          screen, "web-tokens/revoke", { id: session.id }, "End the session?",
          ["The app must sign in again."]), { kind: "quiet", focus: `end-${session.id}` }) },
      ],
    }));
}

async function act(screen, endpoint, body, title, sentences, isMild = false) {
  const done = await askAndRun({
    title, sentences, endpoint, body, isMild, button: title.replace(/\?$/, ""),
    run: () => manage(endpoint, body),
  });
  if (done) screen.again();
}
