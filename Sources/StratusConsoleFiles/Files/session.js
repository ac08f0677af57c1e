// The signed-in member.

import { call } from "./server.js";

/** What `session/fetch` has answered. */
export let session = {
  isSetUp: true, permissions: [], containerIDs: [], testAccounts: [],
};

export async function fetchSession() {
  keepSession(await call("session/fetch"));
  return session;
}

/** Keeps the answer of a sign-in. */
export function keepSession(answer) {
  session = { permissions: [], containerIDs: [], testAccounts: [], ...answer };
}

/**
 * Whether the member's role has a permission. The server decides again; this only hides actions
 * that it would refuse.
 */
export function may(permission) {
  return !permission || session.permissions.includes(permission);
}
