// For each request that changes something, and for the list of devices: the command with the same
// effect. A test compares this list with the reference of the commands.

import { h } from "./dom.js";

const quote = (text) => (/^[\w@%+=:,./-]+$/.test(text)
  ? String(text) : `'${String(text).replaceAll("'", "'\\''")}'`);
const store = (body) => `--container ${quote(body.containerID ?? "ID")} `
  + `--environment ${body.environment ?? "development"}`;
const email = (body) => quote(body.email ?? "EMAIL");
const id = (body) => quote(body.id ?? "ID");

const member = (body) => [
  `stratus team add ${email(body)} --role ${body.role ?? "ROLE"}`,
  ...(body.containerIDs ?? []).map((container) => `--container ${quote(container)}`),
].join(" ");

/** The commands by the paths of their endpoints. */
export const commands = {
  "containers/create": (body) => `stratus container create ${quote(body.containerID ?? "ID")}`,
  "containers/configure": (body) => `stratus container configure `
    + `${quote(body.containerID ?? "ID")} --environment ${body.environment ?? "development"} `
    + `--query-extensions ${body.allowsQueryExtensions ? "on" : "off"} `
    + `--reference-targets ${body.requiresReferenceTargets ? "required" : "optional"}`,
  "containers/delete": (body) =>
    `stratus container delete ${quote(body.containerID ?? "ID")} --yes`,
  "schema/change": (body) => {
    const container = `--container ${quote(body.containerID ?? "ID")}`;
    if (body.environment !== "production") return `stratus schema import ${container} FILE.ckdb`;
    return `stratus schema deploy ${container}${body.schema === undefined ? "" : " FILE.ckdb"}`;
  },
  "schema/reset": (body) =>
    `stratus schema reset --container ${quote(body.containerID ?? "ID")} --yes`,
  "schema/retire": (body) => {
    const verb = { drop: "drop", rename: "rename" }[body.action] ?? "retire";
    const option = {
      refuse: " --refuse", cancel: " --cancel", rename: ` --to ${quote(body.newName ?? "NAME")}`,
    }[body.action] ?? "";
    return `stratus schema ${verb} ${store(body)} ${quote(body.place ?? "TYPE.FIELD")}${option}`;
  },
  "schema/indexes/drop": (body) => `stratus schema indexes ${store(body)} `
    + `${body.cancelsBuild ? "--cancel" : "--drop"} ${quote(body.index ?? "INDEX")}`,
  "api-tokens/create": (body) => `stratus api-token create ${store(body)}`,
  "api-tokens/revoke": (body) => `stratus api-token revoke ${id(body)}`,
  "server-keys/add": (body) => `stratus server-key add ${store(body)} FILE.pem`,
  "server-keys/revoke": (body) => `stratus server-key revoke ${id(body)}`,
  "accounts/create": (body) =>
    `stratus account create ${email(body)}${body.isTest ? " --test" : ""}`,
  "devices/list": (body) => `stratus account devices ${store(body)}`,
  "accounts/enable": (body) => `stratus account enable ${email(body)}`,
  "accounts/disable": (body) => `stratus account disable ${email(body)}`,
  "accounts/restrict": (body) => `stratus account restrict ${email(body)}`,
  "accounts/unrestrict": (body) => `stratus account unrestrict ${email(body)}`,
  "web-tokens/revoke": (body) => `stratus web-token revoke ${id(body)}`,
  "roles/grant": (body) =>
    `stratus role grant ${store(body)} --account ${email(body)} ${quote(body.role ?? "ROLE")}`,
  "roles/revoke": (body) =>
    `stratus role revoke ${store(body)} --account ${email(body)} ${quote(body.role ?? "ROLE")}`,
  "quotas/set": (body) => {
    const target = { eachUser: "--each-user", account: `--account ${email(body)}` }[body.target]
      ?? "--public";
    const quota = body.unlimited ? "unlimited" : body.standard ? "standard" : body.bytes ?? "500MB";
    return `stratus quota set ${store(body)} ${target} ${quota}`;
  },
  "team/add": member, "team/configure": member,
  "team/remove": (body) => `stratus team remove ${email(body)}`,
  "subscriptions/create": (body) => `stratus cktool create-subscription ${cktool(body)} `
    + `--subscription-json ${quote(JSON.stringify(body.subscription ?? {}))}`,
  "subscriptions/delete": (body) => `stratus cktool delete-subscription ${cktool(body)} `
    + `--subscription-id ${quote(body.subscriptionID ?? "ID")}`,
  "records/create": (body) => `stratus cktool create-record ${cktool(body)}`,
  "records/modify": (body) => `stratus cktool update-record ${cktool(body)}`,
  "records/delete": (body) => `stratus cktool delete-records ${cktool(body)} --dry-run false`,
  "zones/create": (body) => zoneVerb("create", body),
  "zones/delete": (body) => zoneVerb("delete", body),
  "shares/create": (body) => `stratus share create ${store(body)} `
    + `--zone ${quote(body.zoneName ?? "ZONE")} --record ${quote(body.recordName ?? "RECORD")}`
    + (body.publicPermission ? ` --public ${permission(body.publicPermission)}` : ""),
  "shares/configure": (body) => `stratus share configure ${share(body)} `
    + `--public ${permission(body.publicPermission)}`,
  "shares/invite": (body) => `stratus share invite ${share(body)} `
    + `--permission ${permission(body.permission)} ${email(body)}`,
  "shares/remove": (body) => `stratus share remove ${share(body)} `
    + quote(body.participant ?? "PARTICIPANT"),
  "shares/end": (body) => `stratus share end ${share(body)}`,
  "shares/leave": (body) => `stratus share leave ${share(body)} `
    + `--owner ${quote(body.owner ?? "OWNER")}`,
};

function share(body) {
  return `${store(body)} --zone ${quote(body.zoneName ?? "ZONE")} `
    + `--share ${quote(body.shareName ?? "SHARE")}`;
}

function permission(name) {
  return (name ?? "READ_ONLY").toLowerCase().replace("_", "-");
}

function zoneVerb(verb, body) {
  return `stratus cktool ${verb}-zone ${cktool(body)} `
    + `--zone-name ${quote(body.zoneName ?? "ZONE")}`;
}

function cktool(body) {
  return `--container-id ${quote(body.containerID ?? "ID")} `
    + `--environment ${body.environment ?? "development"} `
    + `--database-type ${body.database ?? "public"}`;
}

/**
 * Returns an element with the command that has the same effect as a request, or null if there is no
 * such command.
 */
export function commandNote(endpoint, body) {
  const command = commands[endpoint];
  if (!command) return null;
  return h("details", { class: "command" },
    h("summary", {}, "Command with the same effect"),
    h("pre", { tabindex: "0", "aria-label": "Command" }, command(body)));
}
