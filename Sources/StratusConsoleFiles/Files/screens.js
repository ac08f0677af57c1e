// All screens. A screen's module is loaded when the screen is opened for the first time.

/**
 * - `path`: the path of the address
 * - `key`: the letter after `g` that opens the screen
 * - `needs`: "store" for a screen about one container in one environment
 */
export const screens = [
  { path: "/", title: "Overview", group: "Watch", permission: "status", key: "o",
    load: () => import("./watching/overview.js") },
  { path: "/requests", title: "Requests", group: "Watch", permission: "requests", key: "q",
    load: () => import("./watching/requests.js") },
  { path: "/records", title: "Records", group: "Data", permission: "records", key: "r",
    needs: "store", load: () => import("./records/records.js") },
  { path: "/zones", title: "Zones", group: "Data", permission: "records", key: "z",
    needs: "store", load: () => import("./records/zones.js") },
  { path: "/subscriptions", title: "Subscriptions", group: "Data", permission: "records", key: "n",
    needs: "store", load: () => import("./records/subscriptions.js") },
  { path: "/schema", title: "Schema", group: "Schema", permission: "schema-read", key: "s",
    needs: "store", load: () => import("./schema/schema.js") },
  { path: "/deploy", title: "Deploy and reset", group: "Schema", permission: "schema-read",
    key: "p", needs: "container", load: () => import("./schema/deploy.js") },
  { path: "/indexes", title: "Indexes", group: "Schema", permission: "schema-read", key: "i",
    needs: "store", load: () => import("./schema/indexes.js") },
  { path: "/permissions", title: "Permissions", group: "Schema", permission: "records",
    key: "e", needs: "store", load: () => import("./people/permissions.js") },
  { path: "/users", title: "Users", group: "People", permission: "users", key: "u",
    load: () => import("./people/users.js") },
  { path: "/roles", title: "Roles of users", group: "People", permission: "schema-read", key: "l",
    needs: "store", load: () => import("./people/roles.js") },
  { path: "/team", title: "Team", group: "People", permission: "team", key: "m",
    load: () => import("./people/team.js") },
  { path: "/containers", title: "Containers", group: "Server", permission: "status", key: "c",
    load: () => import("./access/containers.js") },
  { path: "/api-tokens", title: "API tokens", group: "Server", permission: "access", key: "k",
    load: () => import("./access/apiTokens.js") },
  { path: "/server-keys", title: "Server keys", group: "Server", permission: "access", key: "y",
    load: () => import("./access/serverKeys.js") },
];
