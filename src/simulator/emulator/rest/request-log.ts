/** A REST request as the log has it, without secrets. */
export interface LoggedRequest {
  readonly atMs: number;
  /** Absent for a path that the carrier does not have. */
  readonly endpoint?: string;
  readonly method: string;
  readonly path: string;
  /** Absent where the address has none. */
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** 0 where no answer was sent. */
  readonly status: number;
  /** The scenario's fault that the request met. */
  readonly fault?: string;
}

const REDACTED = "(redacted)";
const SECRET_NAME = /token|secret|password|auth/i;
/** Ids of the carriers, which look like secrets. */
const KNOWN_IDS = /^(?:(?:[A-Z]{2})?[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|call_[0-9a-f-]{36})$/;
/** Stream tokens and the keys of webhooks' addresses have 32 characters or more. */
const LONG_TEXT = /[A-Za-z0-9_-]{32,}/g;

/** A text of a request without what may be a secret. */
export const withoutSecrets = (text: string): string =>
  text.replaceAll(LONG_TEXT, (part) => (KNOWN_IDS.test(part) ? part : REDACTED));

/** A body without secrets: members with a telling name, and long random parts of all others. */
export function redactedBody(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, SECRET_NAME.test(name) ? REDACTED : redactedValue(value)]),
  );
}

function redactedValue(value: unknown): unknown {
  if (typeof value === "string") return withoutSecrets(value);
  if (Array.isArray(value)) return value.map(redactedValue);
  if (typeof value === "object" && value !== null) return redactedBody(value as Record<string, unknown>);
  return value;
}
