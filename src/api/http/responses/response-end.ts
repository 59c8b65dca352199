import type { IncomingMessage, ServerResponse } from "node:http";
import { finished } from "node:stream";

/**
 * Calls `onEnd` once: when the response has been sent, or can no longer be sent. For a response that is queued after another one of
 * its connection (HTTP pipelining), Node emits neither `finish` nor `close` when the client closes the connection, so the socket is
 * observed, too.
 */
export function onResponseEnd(request: IncomingMessage, response: ServerResponse, onEnd: () => void): void {
  const { socket } = request;
  if (socket.destroyed) {
    onEnd();
    return;
  }
  const end = (): void => {
    socket.off("close", end);
    stopWaiting();
    onEnd();
  };
  const stopWaiting = finished(response, end);
  // Each pipelined request adds a listener.
  socket.setMaxListeners(0);
  socket.once("close", end);
}
