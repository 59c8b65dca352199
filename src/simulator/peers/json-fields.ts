/** A JSON object, not validated. */
export type Fields = Readonly<Record<string, unknown>>;

/** The JSON object in `text`; undefined when `text` is not one. */
export function parseFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a parsed JSON value is an object; arrays are not. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether there are no fields except the allowed ones. */
export const hasOnly = (fields: Fields, ...allowed: readonly string[]): boolean =>
  Object.keys(fields).every((key) => allowed.includes(key));
