// Listens for signals of the server that there is something new.

let source = null;

/** Functions that show whether the server can be reached. `frame.js` sets them. */
export const connection = { lost: () => {}, restored: () => {}, updated: () => {} };

/**
 * Listens until the signal is aborted.
 *
 * @param {Object<string, function>} listeners functions by the names of events. `reconnected` is
 *   called after an interruption, because events may have been lost.
 */
export function listen(listeners, signal) {
  source?.close();
  const topics = Object.keys(listeners).filter((name) => name !== "reconnected");
  const stream = new EventSource("/console/1/live");
  source = stream;
  let wasLost = false;
  stream.addEventListener("open", () => {
    if (wasLost) {
      connection.restored();
      listeners.reconnected?.();
    }
    wasLost = false;
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
    stream.addEventListener(topic, (event) => listeners[topic](parse(event)));
  }
  signal.addEventListener("abort", () => {
    stream.close();
    if (wasLost) connection.restored();
  });
}

function parse(event) {
  try {
    return JSON.parse(event.data || "{}");
  } catch {
    return {};
  }
}
