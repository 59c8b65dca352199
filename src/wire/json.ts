/** A JSON object as a peer sent it: nothing about its members is known. */
export type Fields = Record<string, unknown>;

/** Parses a message that must be a JSON object; undefined for anything else. */
export function parseFields(message: Uint8Array): Fields | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(message.buffer, message.byteOffset, message.length).toString("utf8"));
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A member of the object itself, never of its prototype; null counts as absent. */
export const member = (fields: Fields, key: string): unknown =>
  Object.hasOwn(fields, key) ? (fields[key] ?? undefined) : undefined;

/** A number that some carriers write as a string of digits; NaN for everything else. */
export function numberOf(value: unknown): number {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? value : Number.NaN;
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
}
