/** Whose fault it is: `caller` must change the request, `peer` sent bad data, `provider` failed, `service` lacks a resource, `bug` is ours. */
export type Fault = "caller" | "peer" | "provider" | "service" | "bug";

/** The one error class. `code` is public and stable: it is listed in docs/api.md and never reused for another meaning. */
export class TrunklineError extends Error {
  override readonly name = "TrunklineError";
  readonly code: string;
  readonly fault: Fault;

  constructor(code: string, fault: Fault, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
    this.fault = fault;
  }
}

/** A peer's message violated the protocol of its wire. `wire` is the name of the wire; `what` is the violation without content. */
export const wireMalformed = (wire: string, what: string): TrunklineError =>
  new TrunklineError("wire_malformed", "peer", `${wire}: ${what}`);

/** A peer's message is larger than its wire allows, which ends the leg; `what` is the limit. */
export const wireTooLarge = (wire: string, what: string): TrunklineError =>
  new TrunklineError("wire_too_large", "peer", `${wire}: ${what}`);

/** A peer sent text that its wire does not define, or audio where none is allowed, which ends the leg. */
export const wireWrongData = (wire: string, what: string): TrunklineError =>
  new TrunklineError("wire_wrong_data", "peer", `${wire}: ${what}`);

/** A peer sent more than its wire allows this process to parse, which ends the leg; `what` is the limit. */
export const wireFlood = (wire: string, what: string): TrunklineError =>
  new TrunklineError("wire_flood", "peer", `${wire}: ${what}`);

/** A provider failed. `what` must contain no API key, prompt or word of a call. */
export const providerFailed = (provider: string, what: string, cause?: unknown): TrunklineError =>
  new TrunklineError("provider_failed", "provider", `${provider}: ${what}`, { cause });

/** A part of the service is not available at present; a retry later may succeed. */
export const unavailable = (what: string, cause?: unknown): TrunklineError =>
  new TrunklineError("unavailable", "service", what, { cause });

/** The stable code of any thrown value: that of a TrunklineError, and the code of a bug for everything else. */
export const codeOf = (error: unknown): string => (error instanceof TrunklineError ? error.code : "internal");

/**
 * The system's error code, such as ENOENT, EMFILE or ENOSPC, of a failed system call or of a TrunklineError whose cause it is.
 * Undefined for any other error, such as those with Node's own codes, `ERR_...`.
 */
export function systemErrorCodeOf(error: unknown): string | undefined {
  const cause = error instanceof TrunklineError ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  return code?.startsWith("ERR_") ? undefined : code;
}
