// The screen of accounts: state, sessions, quota, restriction, test accounts.

import { h, userText } from "../dom.js";
import { addressOf, change } from "../address.js";
import { manage, manageOr } from "../server.js";
import { may } from "../session.js";
import { report } from "../parts/announce.js";
import { askAndRun } from "../parts/dialog.js";
import { field, requestForm } from "../parts/form.js";
import { badge, button, facts, filterForm, heading } from "../parts/page.js";
import { table } from "../parts/table.js";
import { sizeText, time } from "../time.js";

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
        { title: "Test account", cell: (account) => (account.isTest ? badge("test") : "no") },
        { title: "Act as", cell: (account) => actLink(account, place) },
      ],
    }),
    newAccount(screen));
}

function stateOf(account) {
  return account.disabled ? badge("disabled", "bad") : badge("enabled", "good");
}

/** Only a test account can be acted as. The server refuses every other one. */
function actLink(account, { params }) {
  if (!account.isTest || !may("records")) return "";
  if (!params.container) return "choose a container";
  return h("a", { href: addressOf("/records", {
    container: params.container, environment: params.environment, database: "private",
    as: account.email,
  }) }, "Act as ", userText(account.email));
}

function newAccount(screen) {
  return h("details", {}, h("summary", {}, "Create an account"), requestForm({
    label: "Create an account", button: "Create", endpoint: "accounts/create",
    fields: [
      field({ label: "E-mail", name: "email", type: "email", required: true }),
      field({ label: "Password", name: "password", type: "password",
        autocomplete: "new-password", hint: "empty for an account that signs in by other means" }),
      field({ label: "Test account: members of the team may act as it", name: "isTest",
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
  const { container } = place.params;
  const { email } = account;
  const [{ webTokens }, quota] = await Promise.all([
    manage("web-tokens/list", {}, { signal }),
    container && manageOr(null, "accounts/usage", { email, containerID: container }, { signal }),
  ]);
  screen.draw(
    heading("User"),
    h("p", {}, h("a", { href: addressOf(place.path, { ...place.params, account: "" }) },
      "All users")),
    facts([["E-mail", userText(email)], ["State", stateOf(account)],
      ["Test account", account.isTest ? "yes" : "no"]]),
    h("div", { class: "actions" }, account.disabled
      ? button("Enable", () => act(screen, "accounts/enable", { email }, "Enable the account?",
        ["The account can sign in again."], true))
      : button("Disable", () => act(screen, "accounts/disable", { email }, "Disable the account?",
        ["All its sessions stop working until it is enabled again. Its data is kept."]),
      { kind: "danger" })),
    container ? containerPart(screen, account, quota)
      : h("p", { class: "notice" }, "Choose a container to see the quota and the restriction."),
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

function containerPart(screen, { email, restrictedIn = [] }, quota) {
  const containerID = screen.place.params.container;
  const isRestricted = restrictedIn.includes(containerID);
  return [
    h("h2", {}, "In ", userText(containerID)),
    facts([
      quota && ["Stored", sizeText(quota.usedBytes)],
      quota && ["Quota", quota.quotaBytes === undefined || quota.quotaBytes === null
        ? "none" : sizeText(quota.quotaBytes)],
      ["Restriction", isRestricted ? badge("restricted", "bad") : "none"],
    ]),
    h("div", { class: "actions" }, button(isRestricted ? "Lift the restriction" : "Restrict",
      () => act(screen, "accounts/restrict", { email, containerID, isRestricted: !isRestricted },
        isRestricted ? "Lift the restriction?" : "Restrict the account?",
        [isRestricted ? "The account can use the container again."
          : "The account cannot use this container. Other containers do not change."],
        isRestricted), { kind: "quiet" })),
    h("details", {}, h("summary", {}, "Change the quota"), requestForm({
      label: "Change the quota", button: "Set the quota", endpoint: "accounts/quota",
      fields: [field({ label: "Quota in MB", name: "megabytes", inputmode: "numeric",
        hint: "empty for no quota" })],
      submit: async ({ megabytes }) => {
        const amount = Number(megabytes);
        if (megabytes && !(amount >= 0)) throw new Error("Write a number of megabytes.");
        await manage("accounts/quota", {
          email, containerID,
          ...(megabytes ? { quotaBytes: Math.round(amount * 1_000_000) } : {}),
        });
        report("The quota is set.");
        screen.again();
      },
    })),
  ];
}

async function act(screen, endpoint, body, title, sentences, isMild = false) {
  const done = await askAndRun({
    title, sentences, endpoint, body, isMild, button: title.replace(/\?$/, ""),
    run: () => manage(endpoint, body),
  });
  if (done) screen.again();
}
