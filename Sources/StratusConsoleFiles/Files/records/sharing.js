// The panel that shows and changes the share of a record or a zone.

import { h, append, userText } from "../dom.js";
import { commandNote } from "../commands.js";
import { database } from "../server.js";
import { session } from "../session.js";
import { failureBox, report } from "../parts/announce.js";
import { askAndRun } from "../parts/dialog.js";
import { field, optionOf, requestForm } from "../parts/form.js";
import { badge, button } from "../parts/page.js";
import { copyable } from "../parts/secret.js";
import { table } from "../parts/table.js";
import { deleteRecords } from "./save.js";

const permissions = [
  { value: "NONE", text: "only participants" }, { value: "READ_ONLY", text: "all may read" },
  { value: "READ_WRITE", text: "all may read and write" },
];

/**
 * Returns the body of a request about a share: the container, the environment, the zone, and the
 * given values.
 */
function names({ screen, zoneID }, values) {
  return { ...screen.store, zoneName: zoneID?.zoneName ?? "_defaultZone", ...values };
}

/** Creates the panel for a record. Records of the public database cannot be shared. */
export function sharingPanel(context, record) {
  if ((context.target.database ?? "public") === "public") return null;
  const body = h("div");
  const panel = h("details", {
    on: { toggle: () => { if (panel.open) fill(body, context, record); } },
  }, h("summary", {}, "Sharing"), body);
  return panel;
}

async function fill(body, context, record) {
  body.replaceChildren(h("p", {}, "The share is being fetched …"));
  try {
    const share = record.recordType === "cloudkit.share"
      ? record : await fetchShare(context, record.share?.recordName);
    body.replaceChildren();
    append(body, share ? shareView(body, context, record, share) : newShare(body, context, record));
  } catch (error) {
    body.replaceChildren(failureBox(error));
  }
}

async function fetchShare({ target, zoneID }, recordName) {
  if (!recordName) return null;
  const answer = await database(target, "records/lookup", { zoneID, records: [{ recordName }] });
  const [share] = answer.records;
  return share.serverErrorCode ? null : share;
}

function newShare(body, context, record) {
  const isOwner = (context.target.database ?? "public") === "private";
  if (!isOwner) return h("p", {}, "The record is not shared. Only its owner can share it.");
  return requestForm({
    label: "Share the record", button: "Share", endpoint: "shares/create",
    body: names(context, { recordName: record.recordName }),
    fields: [field({ label: "People with the link", name: "publicPermission", type: "select",
      options: permissions })],
    submit: async ({ publicPermission }) => {
      const answer = await database(context.target, "records/modify", {
        zoneID: context.zoneID, operations: [{
          operationType: "create",
          record: {
            recordName: `Share-${crypto.randomUUID().toUpperCase()}`, recordType: "cloudkit.share",
            forRecord: {
              recordName: record.recordName, recordChangeTag: record.recordChangeTag,
            }, publicPermission, fields: {},
          },
        }],
      });
      const [share] = answer.records;
      if (share.serverErrorCode) throw new Error(share.reason);
      report("The record is shared.");
      record.share = { recordName: share.recordName };
      fill(body, context, record);
    },
  });
}

function shareView(body, context, record, share) {
  const refresh = () => fill(body, context, record);
  const mayEdit = (context.target.database ?? "public") === "private";
  return [
    share.shortGUID && [h("p", {}, "The link of the share:"), copyable(linkOf(share), "Copy link")],
    mayEdit && permissionForm(context, share, refresh),
    table({
      caption: "Participants", rows: share.participants ?? [],
      empty: "There are no participants yet.",
      columns: [
        { title: "Person", cell: (participant) => userText(nameOf(participant)) },
        { title: "Role", cell: (participant) => words(participant.type) },
        { title: "Status", cell: (participant) => badge(words(participant.acceptanceStatus)) },
        { title: "Permission", cell: (participant) => words(participant.permission) },
        { title: "Action", cell: (participant) => (mayEdit && participant.type !== "OWNER"
          ? button("Remove", () => removeParticipant(context, share, participant, refresh),
            { kind: "quiet" }) : "") },
      ],
    }),
    mayEdit && inviteForm(context, share, refresh),
    button(mayEdit ? "Stop sharing" : "Leave the share",
      () => stop(context, share, refresh), { kind: "danger" }),
  ];
}

/** NB: the link lacks the secret for encrypted values. Only devices have this secret. */
function linkOf(share) {
  const scheme = session.serverURL?.startsWith("http:") ? "http" : "https";
  return `${scheme}://${share.displayedHostname ?? location.hostname}/share/${share.shortGUID}`;
}

function nameOf({ userIdentity = {} }) {
  const lookup = userIdentity.lookupInfo ?? {};
  return lookup.emailAddress ?? lookup.phoneNumber ?? userIdentity.userRecordName ?? "unknown";
}

function words(text) {
  return String(text ?? "unknown").toLowerCase().replaceAll("_", " ");
}

function permissionForm(context, share, refresh) {
  const select = h("select", { id: "publicPermission", value: share.publicPermission ?? "NONE" },
    permissions.map(optionOf));
  return h("div", { class: "row" },
    h("div", { class: "field" },
      h("label", { for: "publicPermission" }, "People with the link"), select),
    button("Change", async () => {
      await saveShare(context, share, { publicPermission: select.value });
      report("The permission is changed.");
      refresh();
    }),
    commandNote("shares/configure", names(context, {
      shareName: share.recordName, publicPermission: share.publicPermission })));
}

function inviteForm(context, share, refresh) {
  return requestForm({
    label: "Invite", button: "Invite", endpoint: "shares/invite",
    body: names(context, { shareName: share.recordName }),
    fields: [
      field({ label: "E-mail", name: "email", type: "email", required: true }),
      field({ label: "Permission", name: "permission", type: "select", options: [
        { value: "READ_ONLY", text: "read" }, { value: "READ_WRITE", text: "read and write" }] }),
    ],
    submit: async ({ email, permission }) => {
      await saveShare(context, share, { participants: [...(share.participants ?? []), {
        type: "USER", permission, userIdentity: { lookupInfo: { emailAddress: email } },
      }] });
      report(`${email} is invited. Send the link to this person.`);
      refresh();
    },
  });
}

async function removeParticipant(context, share, participant, refresh) {
  const done = await askAndRun({
    title: "Remove the participant?", button: "Remove",
    sentences: [`${nameOf(participant)} can then no longer see the shared records.`],
    endpoint: "shares/remove",
    body: names(context, { shareName: share.recordName, participant: nameOf(participant) }),
    run: () => saveShare(context, share, {
      participants: share.participants.filter((other) => other !== participant),
    }),
  });
  if (done) refresh();
}

async function saveShare({ target, zoneID }, share, changes) {
  const { recordName, recordType, recordChangeTag } = share;
  const answer = await database(target, "records/modify", {
    zoneID, operations: [{
      operationType: "update",
      record: { recordName, recordType, recordChangeTag, fields: {}, ...changes },
    }],
  });
  if (answer.records[0].serverErrorCode) throw new Error(answer.records[0].reason);
}

async function stop(context, share, refresh) {
  const isOwn = (context.target.database ?? "public") === "private";
  const done = await askAndRun({
    title: "End the share?", button: "End", endpoint: isOwn ? "shares/end" : "shares/leave",
    body: names(context, { shareName: share.recordName, owner: context.zoneID?.ownerRecordName }),
    sentences: [
      "The participants can then no longer see the shared records.",
      "The records stay in the owner's zone.",
    ],
    run: async () => {
      const { failures } = await deleteRecords(context, [share.recordName]);
      if (failures.length > 0) throw new Error(failures[0].reason);
    },
  });
  if (done) refresh();
}
