import { webhookMalformed } from "../core/errors.ts";
import { SIP_HEADERS_MAX, WEBHOOK_FIELDS_MAX, WEBHOOK_TEXT_CHARS_MAX } from "../core/limits/phone/telephony.ts";
import { isCarrierId, plainCode } from "./rest.ts";

// What the webhooks of several carriers have in common.

/** Strict: it replaces no invalid byte. */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const CONTROL = /[\p{Cc}\u2028\u2029]/gu;
const HALF = /\p{Cs}/gu;
const HEADER_NAME = /^[a-z0-9-]{1,64}$/;

/** A text of the world: without control characters, and of at most WEBHOOK_TEXT_CHARS_MAX characters. */
export const plainText = (text: string): string =>
  text.replace(CONTROL, "").slice(0, WEBHOOK_TEXT_CHARS_MAX).replace(HALF, "\ufffd");

/** The bytes of a webhook as text, as its signature has them; undefined where they are not UTF-8. */
export function textOf(body: Uint8Array): string | undefined {
  try {
    return UTF8.decode(body);
  } catch {
    return undefined;
  }
}

/** SIP headers, the first SIP_HEADERS_MAX that have a plain name. */
export const sipHeaders = (given: Iterable<readonly [name: string, value: string]>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...given]
      .map(([name, value]) => [name.toLowerCase(), plainText(value)] as const)
      .filter(([name]) => HEADER_NAME.test(name))
      .slice(0, SIP_HEADERS_MAX),
  );

/** The parameters of a webhook that is a form. */
export class WebhookForm {
  readonly #carrier: string;
  readonly #values = new Map<string, string>();

  /** `carrier` names it in errors. Throws TrunklineError `webhook_malformed`. */
  constructor(carrier: string, body: Uint8Array) {
    this.#carrier = carrier;
    const text = textOf(body);
    if (text === undefined) throw this.malformed("not UTF-8");
    const pairs = [...new URLSearchParams(text)];
    if (pairs.length > WEBHOOK_FIELDS_MAX) throw this.malformed(`over ${WEBHOOK_FIELDS_MAX} parameters`);
    for (const [name, value] of pairs) {
      // A second value would have two meanings: of the signature's, and of the reader's.
      if (this.#values.has(name)) throw this.malformed("a parameter twice");
      this.#values.set(name, value);
    }
  }

  /** A parameter as plain text; empty where there is none. */
  text(name: string): string {
    return plainText(this.#values.get(name) ?? "");
  }

  /** The carrier's id of a call. */
  id(name: string): string {
    const value = this.#values.get(name);
    if (!isCarrierId(value)) throw this.malformed(`${name} must be an id`);
    return value;
  }

  /** A code of the carrier; undefined where there is none, or no plain one. */
  code(name: string): string | undefined {
    return plainCode(this.#values.get(name));
  }

  /** The SIP headers in parameters whose names begin so. */
  headers(prefix: string): Readonly<Record<string, string>> {
    const given = [...this.#values].filter(([name]) => name.startsWith(prefix));
    return sipHeaders(given.map(([name, value]) => [name.slice(prefix.length), value]));
  }

  malformed(what: string): Error {
    return webhookMalformed(this.#carrier, what);
  }
}
