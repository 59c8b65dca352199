import { isObject } from "../core/json.ts";
import { PARAMETERS_BYTES_MAX, PARAMETERS_MAX } from "../core/limits/calls/calls.ts";
import type { StreamStarted } from "../wire/wire.ts";

// Reads the parameters of a start. Carriers write them as objects or texts; the call gets a flat record of strings.

/** Parameters as the carrier wrote them; a name of undefined stands for a part that has none. */
export type GivenParameters = Iterable<readonly [name: string | undefined, value: unknown]>;

/** Control characters, and the two separators that some readers take for the end of a line. */
const CONTROL = /[\p{Cc}\u2028\u2029]/gu;
/** Halves of surrogate pairs. */
const HALF = /\p{Cs}/gu;

/**
 * The parameters among `given`, in this order, as a start has them. A name or value is changed only where
 * it has a control character, which becomes a space, or half a surrogate pair, which becomes U+FFFD. Numbers and
 * booleans become their JSON; null counts as absent. Left out and counted is whatever else there is: objects, lists, a
 * name that is empty, `__proto__` or taken, and what would exceed PARAMETERS_MAX or PARAMETERS_BYTES_MAX. A start is
 * never refused for its parameters.
 */
export function readParameters(given: GivenParameters): Pick<StreamStarted, "parameters"> {
  const values = new Map<string, string>();
  let bytes = 0;
  let droppedCount = 0;
  for (const [givenName, givenValue] of given) {
    if (givenValue === undefined || givenValue === null) continue;
    const name = values.size < PARAMETERS_MAX ? plain(givenName) : undefined;
    const value = name === undefined ? undefined : plain(textOf(givenValue));
    const isNameUsable = name !== undefined && name !== "" && name !== "__proto__" && !values.has(name);
    const moreBytes = Buffer.byteLength(name ?? "") + Buffer.byteLength(value ?? "");
    if (!isNameUsable || value === undefined || bytes + moreBytes > PARAMETERS_BYTES_MAX) {
      droppedCount += 1;
      continue;
    }
    values.set(name, value);
    bytes += moreBytes;
  }
  if (values.size === 0 && droppedCount === 0) return {};
  return { parameters: { values: Object.fromEntries(values), droppedCount } };
}

/** The members of an object of parameters. Anything else but nothing counts as one part without a name. */
export function membersOf(value: unknown): GivenParameters {
  return isObject(value) ? Object.entries(value) : [[undefined, value]];
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "boolean" || Number.isFinite(value)) return JSON.stringify(value);
  return typeof value === "string" ? value : undefined;
}

/** Undefined for a text that is too long in any case, so that its characters are not looked at. */
const plain = (text: string | undefined): string | undefined =>
  text === undefined || text.length > PARAMETERS_BYTES_MAX
    ? undefined
    : text.replace(HALF, "\ufffd").replace(CONTROL, " ");
