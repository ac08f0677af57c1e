// The screen of quotas: the bytes that databases use, and their limits.

import { h, userText } from "../dom.js";
import { addressOf, change } from "../address.js";
import { manage } from "../server.js";
import { report } from "../parts/announce.js";
import { field, requestForm } from "../parts/form.js";
import { facts, filterForm, heading } from "../parts/page.js";
import { table } from "../parts/table.js";
import { sizeText } from "../time.js";

export async function show(screen) {
  const { place, signal, store } = screen;
  const email = place.params.account;
  const quota = await manage("quotas/show", { ...store, email }, { signal });
  screen.draw(
    heading("Quotas"),
    filterForm("Account", [field({ label: "E-mail of an account", name: "account", value: email,
      type: "search", "data-filter": true, hint: "empty for the public database" })], "Show"),
    h("h2", {}, email ? ["Private database of ", userText(email)] : "Public database"),
    facts([
      ["Used", sizeText(quota.usedBytes)], ["Quota", limitText(quota.quotaBytes)],
      ["Share", shareOf(quota)],
      !email && ["Quota of each user", limitText(quota.userQuotaBytes)],
    ]),
    typeTable(quota.types), !email && userTable(place, quota.users), setForm(screen, email));
}

function limitText(bytes) {
  return bytes === undefined || bytes === null ? "no limit" : sizeText(bytes);
}

function shareOf({ usedBytes, quotaBytes }) {
  if (quotaBytes === undefined || quotaBytes === null) return "–";
  if (quotaBytes === 0) return "100 %";
  return `${Math.min(999, Math.round((usedBytes / quotaBytes) * 100))} %`;
}

function typeTable(types) {
  const number = (key) => (item) => item[key].toLocaleString("en");
  return table({
    caption: "Record types", rows: types, empty: "The database has no records.",
    columns: [
      { title: "Record type", cell: (item) => userText(item.recordType) },
      { title: "Records", isNumber: true, cell: number("records") },
      { title: "Records' size", isNumber: true, cell: (item) => sizeText(item.recordBytes) },
      { title: "Files' size", isNumber: true, cell: (item) => sizeText(item.assetBytes) },
    ],
  });
}

function userTable(place, users) {
  return [h("h2", {}, "Private databases"), table({
    caption: "Users with the most bytes", rows: users, empty: "No user has stored anything.",
    onOpen: (user) => user.email && change({ account: user.email }),
    columns: [
      { title: "User", cell: (user) => (user.email
        ? h("a", { href: addressOf(place.path, { ...place.params, account: user.email }) },
          userText(user.email))
        : userText(user.userRecordName)) },
      { title: "Used", isNumber: true, cell: (user) => sizeText(user.usedBytes) },
      { title: "Quota", isNumber: true, cell: (user) => limitText(user.quotaBytes) },
      { title: "Share", isNumber: true, cell: shareOf },
    ],
  })];
}

function setForm(screen, email) {
  return h("details", {}, h("summary", {}, "Set a quota"), requestForm({
    label: "Set a quota", button: "Set", endpoint: "quotas/set",
    fields: [
      field({ label: "Quota of", name: "target", type: "select",
        value: email ? "account" : "public",
        options: [{ value: "public", text: "the public database" },
          { value: "eachUser", text: "each user without a quota of the user's own" },
          { value: "account", text: "one account" }] }),
      field({ label: "E-mail", name: "email", type: "email", value: email,
        hint: "only for one account" }),
      field({ label: "Quota", name: "quota", required: true, spellcheck: "false",
        hint: "for example 500MB, unlimited, or standard for an account without its own quota" }),
    ],
    submit: async ({ target, email: address, quota }) => {
      if (target === "account" && !address.trim()) throw new Error("Write the account's e-mail.");
      await manage("quotas/set", {
        ...screen.store, target, ...(target === "account" ? { email: address.trim() } : {}),
        ...limitOf(quota),
      });
      report("The quota is set.");
      screen.again();
    },
  }));
}

const units = { "": 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 };

/**
 * Returns the limit that a text stands for. The words are those of `stratus quota set`.
 *
 * @throws {Error} if the text is not a quota.
 */
export function limitOf(text) {
  const word = text.trim().toLowerCase();
  if (word === "unlimited") return { unlimited: true };
  if (word === "standard") return { standard: true };
  const match = /^(\d{1,15}) ?([kmgt]?b?)$/.exec(word);
  const bytes = match && Number(match[1]) * (units[match[2]] ?? NaN);
  if (!match || !Number.isSafeInteger(bytes)) {
    throw new Error("Write a number of bytes such as 500MB, or unlimited, or standard.");
  }
  return { bytes };
}
