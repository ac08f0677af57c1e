// Sends requests to the server.

const root = "/console/1/";

/** A refused or failed request. */
export class ServerFailure extends Error {
  constructor(status, dictionary) {
    super(dictionary.reason ?? `The server answered with status ${status}.`);
    this.reason = dictionary.reason;
    this.status = status;
    this.code = dictionary.serverErrorCode ?? "UNKNOWN";
    this.requestID = dictionary.uuid;
    this.retryAfterSeconds = dictionary.retryAfter;
  }
}

/**
 * Functions that ask the member for something that a request lacks. Each returns whether the member
 * has given it. `main.js` sets them.
 */
export const asks = {
  signIn: async () => false,
  password: async () => false,
};

/** The time of the server's clock minus that of the browser's clock, in milliseconds. */
let clockDifference = 0;

/** Returns the server's time, in milliseconds since 1970 UTC. */
export function serverNow() {
  return Date.now() + clockDifference;
}

/** The signals of requests that the page sends by itself. */
const automatic = new WeakSet();

/**
 * Marks the requests with a signal as automatic. Automatic requests do not count as a use of the
 * session, so that an open page does not keep its session alive.
 */
export function markAutomatic(signal) {
  automatic.add(signal);
}

/**
 * Sends a request to the console's interface and returns the answer. If the request lacks a sign-in
 * or a confirmation by password, asks the member for it and sends the request again.
 *
 * @throws {ServerFailure} if the server refuses the request or cannot be reached.
 */
export async function call(path, body = {}, { signal } = {}) {
  const answer = await send(path, JSON.stringify(body), "application/json", signal);
  const ask = askFor(answer.failure);
  if (!ask || path.startsWith("session/")) return result(answer);
  if (!(await ask())) throw answer.failure;
  return result(await send(path, JSON.stringify(body), "application/json", signal));
}

/** Returns the function that asks for what a refused request lacks, or null. */
function askFor(failure) {
  if (failure?.code === "AUTHENTICATION_REQUIRED") return asks.signIn;
  return failure?.reason === "the password is needed again" ? asks.password : null;
}

/** Sends a request to an endpoint of the management interface. */
export function manage(path, body, options) {
  return call(`management/${path}`, body, options);
}

/**
 * Sends a request to a database.
 *
 * @param {{container: string, environment: string, database?: string, as?: string}} target `as` is
 *   the e-mail address of the test account in whose name the request is made.
 */
export function database(target, endpoint, body, options) {
  const parts = [target.container, target.environment, target.database ?? "public"];
  const prefix = target.as ? `as/${encodeURIComponent(target.as)}/` : "";
  const path = `${prefix}database/${parts.map(encodeURIComponent).join("/")}/${endpoint}`;
  return call(path, { numbersAsStrings: true, ...body }, options);
}

/** Sends the bytes of a file to an upload URL, and returns the description of the file. */
export async function upload(url, file, signal) {
  const path = new URL(url, location.origin).pathname;
  if (!path.startsWith(root)) throw new Error("The upload URL is not one of the console.");
  const answer = await send(
    path.slice(root.length), file, "application/octet-stream", signal);
  return result(answer).singleFile;
}

function result(answer) {
  if (answer.failure) throw answer.failure;
  return answer.value;
}

async function send(path, body, type, signal) {
  const headers = { "Content-Type": type };
  if (signal && automatic.has(signal)) headers["Stratus-Refresh"] = "1";
  let response;
  try {
    response = await fetch(root + path, {
      method: "POST", body, headers, signal, cache: "no-store", redirect: "error",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return {
      failure: new ServerFailure(0, {
        serverErrorCode: "NETWORK_FAILURE",
        reason: "The server does not answer. Check that it runs, then try again.",
      }),
    };
  }
  const date = Date.parse(response.headers.get("Date") ?? "");
  if (!Number.isNaN(date)) clockDifference = date - Date.now();
  let value = {};
  try {
    value = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    if (response.ok) return { failure: new ServerFailure(response.status, {}) };
  }
  return response.ok ? { value } : { failure: new ServerFailure(response.status, value) };
}
