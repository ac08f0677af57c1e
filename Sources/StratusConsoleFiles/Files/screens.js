// All screens. A screen's module is loaded when the screen is opened for the first time.

/**
 * - `path`: the path of the address
 * - `key`: the letter after `g` that opens the screen
 * - `needs`: "store" for a screen about one container in one environment, "container" for a screen
 *   about both environments of one container
 * - `areas`: the areas of changes on the server after which the screen is drawn again
 * - `isTimed`: whether the screen has counters, so that it is also drawn with each heartbeat
 * - `showsDatabase`: whether the screen shows one database
 * - `database`: the database that the screen shows if the address names none; by default, this is
 *   the public one
 */
export const screens = [
  { path: "/", title: "Overview", group: "Watch", permission: "status", key: "o",
    areas: ["containers", "schema"], isTimed: true,
    load: () => import("./watching/overview.js") },
  { path: "/requests", title: "Requests", group: "Watch", permission: "requests", key: "q",
    load: () => import("./watching/requests.js") },
  { path: "/telemetry", title: "Telemetry", group: "Watch", permission: "requests", key: "t",
    areas: [], isTimed: true,
    load: () => import("./watching/telemetry.js") },
  { path: "/audit", title: "Audit log", group: "Watch", permission: "audit", key: "a",
    areas: ["accounts", "api-tokens", "containers", "quotas", "roles", "schema", "server-keys",
      "team", "web-tokens"],
    load: () => import("./watching/audit.js") },
  { path: "/devices", title: "Devices", group: "Watch", permission: "requests", key: "d",
    needs: "store",
    areas: [],
    load: () => import("./people/devices.js") },
  { path: "/records", title: "Records", group: "Data", permission: "records", key: "r",
    needs: "store",
    areas: ["records", "schema"], showsDatabase: true,
    load: () => import("./records/records.js") },
  { path: "/zones", title: "Zones", group: "Data", permission: "records", key: "z",
    needs: "store",
    areas: ["zones"], showsDatabase: true, database: "private",
    load: () => import("./records/zones.js") },
  { path: "/subscriptions", title: "Subscriptions", group: "Data", permission: "records", key: "n",
    needs: "store",
    areas: ["subscriptions"], showsDatabase: true, database: "private",
    load: () => import("./records/subscriptions.js") },
  { path: "/schema", title: "Schema", group: "Schema", permission: "schema-read", key: "s",
    needs: "store",
    areas: ["schema", "records"],
    load: () => import("./schema/schema.js") },
  { path: "/deploy", title: "Deploy and reset", group: "Schema", permission: "schema-read",
    key: "p", needs: "container",
    areas: ["schema"],
    load: () => import("./schema/deploy.js") },
  { path: "/indexes", title: "Indexes", group: "Schema", permission: "schema-read", key: "i",
    needs: "store",
    areas: ["schema"], isTimed: true,
    load: () => import("./schema/indexes.js") },
  { path: "/permissions", title: "Permissions", group: "Schema", permission: "records",
    key: "e", needs: "store",
    areas: ["schema", "roles", "records"],
    load: () => import("./people/permissions.js") },
  { path: "/users", title: "Users", group: "People", permission: "users", key: "u",
    areas: ["accounts", "web-tokens"],
    load: () => import("./people/users.js") },
  { path: "/quotas", title: "Quotas", group: "People", permission: "users", key: "b",
    needs: "store",
    areas: ["quotas", "records"],
    load: () => import("./people/quotas.js") },
  { path: "/roles", title: "Roles of users", group: "People", permission: "schema-read", key: "l",
    needs: "store",
    areas: ["roles", "schema"],
    load: () => import("./people/roles.js") },
  { path: "/team", title: "Team", group: "People", permission: "team", key: "m",
    areas: ["team"],
    load: () => import("./people/team.js") },
  { path: "/containers", title: "Containers", group: "Server", permission: "status", key: "c",
    areas: ["containers"],
    load: () => import("./access/containers.js") },
  { path: "/api-tokens", title: "API tokens", group: "Server", permission: "access", key: "k",
    areas: ["api-tokens"],
    load: () => import("./access/apiTokens.js") },
  { path: "/server-keys", title: "Server keys", group: "Server", permission: "access", key: "y",
    areas: ["server-keys"],
    load: () => import("./access/serverKeys.js") },
];

/** Whether a change on the server affects what a screen shows. */
export function concerns(change, screen, place) {
  if (change.area === "everything") return true;
  if (!screen.areas.includes(change.area)) return false;
  const { params } = place;
  const environment = params.environment ?? "development";
  const database = params.database ?? screen.database ?? "public";
  if (!screen.needs) return true;
  if (change.containerID && change.containerID !== params.container) return false;
  if (screen.needs === "container") return true;
  if (change.environment && change.environment !== environment) return false;
  return !change.database || !screen.showsDatabase || change.database === database;
}
