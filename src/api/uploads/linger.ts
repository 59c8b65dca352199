import type { IncomingMessage } from "node:http";
import { UPLOAD_LINGER_MS } from "../../core/limits/transcriptions/transcriptions.ts";

/**
 * Reads and drops what is left of a refused request, so that its client gets to read the response, and closes the connection where that
 * takes longer than UPLOAD_LINGER_MS.
 */
export function lingerAfterRefusal(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return;
  const timer = setTimeout(() => request.destroy(), UPLOAD_LINGER_MS).unref();
  request.once("close", () => clearTimeout(timer));
  request.resume();
}
