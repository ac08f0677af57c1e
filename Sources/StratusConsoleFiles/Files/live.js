// Listens for signals of the server that there is something new.

import { addressOf } from "./address.js";

let source = null;

/** Functions that show whether the server can be reached. `frame.js` sets them. */
export const connection = { lost: () => {}, restored: () => {}, updated: () => {} };

/**
 * Listens until the signal is aborted.
 *
 * @param {{container?: string, environment?: string}} target
 * @param {Object<string, function>} listeners functions by the names of events. `reconnected` is
 *   called after an interruption, because events may have been lost.
 */
export function listen(target, listeners, signal) {
  source?.close();
  const topics = Object.keys(listeners).filter((name) => name !== "reconnected");
  const url = addressOf("/console/1/live", {
    container: target.container, environment: target.environment, topics: topics.join(","),
  });
  const stream = new EventSource(url);
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
