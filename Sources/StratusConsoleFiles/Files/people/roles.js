// Custom roles of users. A user's record lists the roles that the user has.

import { h, userText } from "../dom.js";
import { manage } from "../server.js";
import { may } from "../session.js";
import { report, reportFailure } from "../parts/announce.js";
import { field, requestForm } from "../parts/form.js";
import { heading, screenLink } from "../parts/page.js";
import { table } from "../parts/table.js";

export async function show(screen) {
  const { signal, store } = screen;
  const { roles, users } = await manage("roles/list", store, { signal });
  const mayGrant = may("grants");
  screen.draw(
    heading("Roles of users"),
    roles.length === 0
      ? h("p", { class: "empty" }, "The schema has no custom role. ",
        screenLink("/schema", { view: "roles" }, "Add one to the schema."))
      : h("p", {}, "A role gives a user the permissions that the schema grants to it in the ",
        "public database. ", screenLink("/schema", { view: "roles" }, "Show the permissions.")),
    roles.length > 0 && table({
      caption: "Users with roles", rows: users, empty: "No user has a role.",
      columns: [
        { title: "User", cell: (user) => userText(user.email ?? user.userRecordName) },
        { title: "User record", cell: (user) => screenLink("/records", {
          mode: "lookup", names: user.userRecordName, record: user.userRecordName,
        }, userText(user.userRecordName)) },
        ...roles.map((role) => ({
          title: role, cell: (user) => grantBox(screen, user, role, mayGrant),
        })),
      ],
    }),
    mayGrant && roles.length > 0 && newGrant(screen, roles));
}

function grantBox(screen, user, role, mayGrant) {
  const box = h("input", {
    type: "checkbox", checked: user.roles.includes(role), disabled: !mayGrant || !user.email,
    "aria-label": `${user.email ?? user.userRecordName} has the role ${role}`,
    "data-focus": `${user.userRecordName}-${role}`,
    on: {
      change: async () => {
        const path = box.checked ? "roles/grant" : "roles/revoke";
        try {
          await manage(path, { ...screen.store, email: user.email, role });
          report(box.checked ? "The role is granted." : "The role is revoked.");
        } catch (error) {
          box.checked = !box.checked;
          reportFailure(error);
        }
      },
    },
  });
  return box;
}

function newGrant(screen, roles) {
  return h("details", {}, h("summary", {}, "Grant a role to another user"), requestForm({
    label: "Grant a role", button: "Grant", endpoint: "roles/grant",
    fields: [
      field({ label: "E-mail", name: "email", type: "email", required: true }),
      field({ label: "Role", name: "role", type: "select", options: roles }),
    ],
    submit: async (values) => {
      await manage("roles/grant", { ...screen.store, ...values });
      report("The role is granted.");
      screen.again();
    },
  }));
}
