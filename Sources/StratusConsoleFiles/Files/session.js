// The signed-in member.

import { call } from "./server.js";

/** The server's last answer about the session. */
export let session = {
  isSetUp: true, permissions: [], containerIDs: [], testAccounts: [],
};

export async function fetchSession() {
  keepSession(await call("session/fetch"));
  return session;
}

/** Stores the answer of a sign-in, of the set-up or of `session/fetch`. */
export function keepSession(answer) {
  session = { permissions: [], containerIDs: [], testAccounts: [], ...answer };
}

/**
 * Whether the member's role has a permission. The server checks every request itself. The console
 * only hides the actions that the server would refuse.
 */
export function may(permission) {
  return !permission || session.permissions.includes(permission);
}
