import { type TrunklineError, wireMalformed } from "../core/errors.ts";
import { isObject } from "../core/json.ts";
import { STREAM_ID_CHARS_MAX } from "../core/limits/streams/messages.ts";

/** Strict: it replaces no invalid byte and drops no byte order mark. */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * A JSON object from a peer, or one within it; nothing about its members is known. Invalid content throws
 * TrunklineError `wire_malformed`, which says what was expected and quotes nothing.
 */
export class Fields {
  readonly #wire: string;
  readonly #members: Readonly<Record<string, unknown>>;

  private constructor(wire: string, members: Readonly<Record<string, unknown>>) {
    this.#wire = wire;
    this.#members = members;
  }

  /**
   * Parses a message; `wire` names the wire in errors. For a message that is no JSON object in UTF-8, `otherwise` makes
   * the error. Text that is not UTF-8, or has a byte order mark, is never interpreted in another way.
   */
  static parse(wire: string, message: Uint8Array, otherwise = wireMalformed): Fields {
    let value: unknown;
    try {
      value = JSON.parse(UTF8.decode(message));
    } catch {
      // Handled like a value that is no object.
    }
    if (!isObject(value)) throw otherwise(wire, "not a JSON object");
    return new Fields(wire, value);
  }

  /** An own member of the object, never one of its prototype; null counts as absent. */
  get(key: string): unknown {
    return Object.hasOwn(this.#members, key) ? (this.#members[key] ?? undefined) : undefined;
  }

  object(key: string): Fields {
    const value = this.get(key);
    if (isObject(value)) return new Fields(this.#wire, value);
    throw this.malformed(`${key} must be an object`);
  }

  /** An id or a name: the peer's text, unchanged, of limited length. */
  text(key: string): string {
    const value = this.get(key);
    if (typeof value === "string" && value !== "" && value.length <= STREAM_ID_CHARS_MAX) return value;
    throw this.malformed(`${key} must be a string of 1 to ${STREAM_ID_CHARS_MAX} characters`);
  }

  /** A number, which some carriers write as a string of digits; NaN for everything else. */
  number(key: string): number {
    const value = this.get(key);
    if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? value : Number.NaN;
    return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  }

  malformed(what: string): TrunklineError {
    return wireMalformed(this.#wire, what);
  }
}
