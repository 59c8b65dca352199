/** Who must act: `caller` mends the request, `peer` sent bad bytes, `provider` failed us, `service` is short of something, `bug` is ours. */
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

/** A peer's message broke its carrier's protocol. `wire` is the dialect's name, `what` says what was wrong without quoting content. */
export const wireMalformed = (wire: string, what: string): TrunklineError =>
  new TrunklineError("wire_malformed", "peer", `${wire}: ${what}`);

/** A peer's message is larger than its wire allows, by which the leg ends; `what` says what would have been right. */
export const wireTooLarge = (wire: string, what: string): TrunklineError =>
  new TrunklineError("wire_too_large", "peer", `${wire}: ${what}`);

/** A peer sent a text that is none of its wire's, or audio where there is none, by which the leg ends. */
export const wireWrongData = (wire: string, what: string): TrunklineError =>
  new TrunklineError("wire_wrong_data", "peer", `${wire}: ${what}`);

/** A peer made us parse more than its wire allows, by which the leg ends; `what` says how much that is. */
export const wireFlood = (wire: string, what: string): TrunklineError =>
  new TrunklineError("wire_flood", "peer", `${wire}: ${what}`);

/** A provider of speech or language failed. `what` must carry no key, prompt or spoken word. */
export const providerFailed = (provider: string, what: string, cause?: unknown): TrunklineError =>
  new TrunklineError("provider_failed", "provider", `${provider}: ${what}`, { cause });

/** A part of the service that is needed just now is not there; trying again later may help. */
export const unavailable = (what: string, cause?: unknown): TrunklineError =>
  new TrunklineError("unavailable", "service", what, { cause });

/** The stable code of any thrown value: our own errors keep theirs, everything else is our bug. */
export const codeOf = (error: unknown): string => (error instanceof TrunklineError ? error.code : "internal");
