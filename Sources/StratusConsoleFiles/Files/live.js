// Listens for the server's signals about changes. A page has one stream.

let source = null;
/** Whether the open stream has the entries of the request log. */
let hasRequests = false;
let wasLost = false;
/** The listeners of the shown screen. Each is an object of functions, by the names of events. */
const listeners = new Set();
const topics = ["requests", "changes", "status"];

/**
 * Functions that show the loss and the return of the connection. `updated` is called with each
 * status of the server, and shows that the server has a new version. `frame.js` sets them.
 */
export const connection = { lost: () => {}, restored: () => {}, updated: () => {} };

/**
 * Calls functions for the server's events, until the signal is aborted.
 *
 * @param {Object<string, function>} functions the functions by the names of their events.
 *   `reconnected` is called after the stream was interrupted or replaced, because events may have
 *   been lost.
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
    // NB: events are also lost when this page replaces its stream by a new one.
    if (wasLost || isNew) tell("reconnected");
    [wasLost, isNew] = [false, false];
  });
  stream.addEventListener("error", () => {
    // NB: if the server refuses the stream, the browser does not connect again. The console does
    // not show this as a lost connection.
    if (stream.readyState === EventSource.CLOSED) return;
    wasLost = true;
    connection.lost();
  });
  // NB: the session has ended. If the page did not close the stream, the browser would connect
  // again and again, and the server would refuse each time.
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
