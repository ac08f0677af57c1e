// The permissions of security roles, as a matrix of record types and roles.

import { h, userText } from "../dom.js";
import { button } from "../parts/page.js";
import { field, requestForm } from "../parts/form.js";
import { table } from "../parts/table.js";

const permissions = ["create", "read", "write"];
const roleWords = {
  _world: "World (everyone)", _icloud: "Authenticated (signed-in users)",
  _creator: "Creator (of the record)",
};

/** Creates the view. */
export function rolesView(context) {
  const { draft, mayChange } = context;
  const custom = draft.model.roles.filter((role) => !(role in roleWords));
  const roles = [...Object.keys(roleWords), ...custom];
  return [
    h("p", {}, "These permissions apply to the public database. The permissions of all roles of a ",
      "user add up. A role that may write a record may also read it."),
    roles.map((role) => h("section", {},
      h("h2", {}, roleWords[role] ?? userText(role)), matrix(role, context))),
    mayChange && [newRole(context), custom.length > 0 && removal(custom, context)],
  ];
}

function matrix(role, { draft, mayChange, redraw }) {
  return h("div", { class: "matrix" }, table({
    caption: `Permissions of ${role}`, rows: draft.model.recordTypes,
    columns: [
      { title: "Record type", cell: (type) => userText(type.name) },
      ...permissions.map((permission) => ({
        title: permission[0].toUpperCase() + permission.slice(1),
        cell: (type) => h("input", {
          type: "checkbox", disabled: !mayChange,
          checked: Boolean(type.grants.find((grant) => grant.role === role)
            ?.permissions.includes(permission)),
          "aria-label": `${role} may ${permission} ${type.name}`,
          "data-focus": `${role}-${type.name}-${permission}`,
          on: {
            change: (event) => {
              draft.setGrant(type.name, role, permission, event.target.checked);
              redraw();
            },
          },
        }),
      })),
    ],
  }));
}

function newRole({ draft, redraw }) {
  return h("details", {}, h("summary", {}, "Add a custom role"), requestForm({
    label: "Add a custom role", button: "Add to the draft",
    fields: [field({ label: "Name of the role", name: "role", required: true })],
    submit: async ({ role }) => {
      const name = role.trim();
      if (!/^[A-Za-z][A-Za-z0-9_]{0,254}$/.test(name)) {
        throw new Error("A name begins with a letter and has letters, digits and underscores.");
      }
      if (draft.model.roles.includes(name)) throw new Error(`There is a role ${name} already.`);
      draft.addRole(name);
      redraw();
    },
  }));
}

function removal(custom, { draft, redraw }) {
  return h("div", { class: "row" }, custom.map((role) => button(
    `Remove ${role} from the draft`, () => {
      draft.removeRole(role);
      redraw();
    }, { kind: "quiet" })));
}
