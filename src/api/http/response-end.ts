import type { IncomingMessage, ServerResponse } from "node:http";
import { finished } from "node:stream";

/**
 * Calls `onEnd` once: when the answer has been sent, or cannot be sent any more. Node emits neither `finish` nor `close` for an answer
 * that is queued behind another one of its connection (HTTP pipelining) when the client closes it, so that the socket counts, too.
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
