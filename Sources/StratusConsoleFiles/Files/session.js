// The signed-in member.

import { call } from "./server.js";

/** What `session/fetch` has answered. */
export let session = { isSetUp: true, permissions: [], containerIDs: [] };

export async function fetchSession() {
  session = { permissions: [], containerIDs: [], ...(await call("session/fetch")) };
  return session;
}

/** Keeps the answer of a sign-in. */
export function keepSession(answer) {
  session = { permissions: [], containerIDs: [], ...answer };
}

/**
 * Whether the member's role has a permission. The server decides again; this only hides actions
 * that it would refuse.
 */
export function may(permission) {
  return !permission || session.permissions.includes(permission);
}
