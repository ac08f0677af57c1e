// Listens for the server's signals about changes. A page has one stream.

let source = null;
/** Whether the open stream has the entries of the request log. */
let hasRequests = false;
let wasLost = false;
/** The listeners of the shown screen. Each is an object of functions, by the names of events. */
const listeners = new Set();
const topics = ["requests", "changes", "status"];

/** Functions that show whether the server can be reached. `frame.js` sets them. */
export const connection = { lost: () => {}, restored: () => {}, updated: () => {} };

/**
 * Listens until the signal is aborted.
 *
 * @param {Object<string, function>} functions functions by the names of events. `reconnected` is
 *   called after an interruption, because events may have been lost.
 */
export function listen(functions, signal) {
  if (signal.aborted) return;
  listeners.add(functions);
  signal.addEventListener("abort", () => listeners.delete(functions));
  const wantsRequests = [...listeners].some((listener) => listener.requests);
  if (!source || source.readyState === EventSource.CLOSED || wantsRequests !== hasRequests) {
    connect(wantsRequests);
  }
}

/** Ends the stream, because the session has ended. */
export function stopListening() {
  source?.close();
  source = null;
}

function connect(wantsRequests) {
  const isFirst = source === null;
  source?.close();
  hasRequests = wantsRequests;
  const stream = new EventSource(`/console/1/live${wantsRequests ? "?requests" : ""}`);
  source = stream;
  let isNew = !isFirst;
  stream.addEventListener("open", () => {
    if (wasLost) connection.restored();
    // NB: events between two streams are lost, too.
    if (wasLost || isNew) tell("reconnected");
    [wasLost, isNew] = [false, false];
  });
  stream.addEventListener("error", () => {
    // NB: a server that refuses the stream closes it for good. Only an interruption is shown.
    if (stream.readyState === EventSource.CLOSED) return;
    wasLost = true;
    connection.lost();
  });
  // NB: without this, the browser would connect again, and each time be refused.
  stream.addEventListener("ended", () => stream.close());
  stream.addEventListener("status", (event) => connection.updated(parse(event)));
  for (const topic of topics) {
    stream.addEventListener(topic, (event) => tell(topic, parse(event)));
  }
}

function tell(topic, value) {
  for (const functions of [...listeners]) functions[topic]?.(value);
}

function parse(event) {
  try {
    return JSON.parse(event.data || "{}");
  } catch {
    return {};
  }
}
