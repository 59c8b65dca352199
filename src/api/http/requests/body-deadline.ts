import type { IncomingMessage, ServerResponse } from "node:http";

const deadlines = new WeakMap<IncomingMessage, () => void>();

/**
 * Calls `onLate` when the body of a request has not arrived after `timeoutMs`, unless `liftBodyDeadline` is called before. Where it was
 * answered already, its connection is closed.
 */
export function startBodyDeadline(
  request: IncomingMessage,
  response: ServerResponse,
  timeoutMs: number,
  onLate: () => void,
): void {
  const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers;
  if (length === "0" && encoding === undefined) return;
  const timer = setTimeout(() => {
    if (request.readableEnded || request.destroyed) return;
    if (response.headersSent) request.destroy();
    else onLate();
  }, timeoutMs);
  timer.unref();
  const stop = (): void => clearTimeout(timer);
  deadlines.set(request, stop);
  request.once("close", stop);
}

/** For an upload, which has a time of its own. */
export const liftBodyDeadline = (request: IncomingMessage): void => deadlines.get(request)?.();
