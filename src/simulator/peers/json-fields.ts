/** A JSON object as it came. */
export type Fields = Readonly<Record<string, unknown>>;

/** The object that `text` is in JSON; undefined when it is none. */
export function parseFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** There is no field beside the allowed ones. */
export const hasOnly = (fields: Fields, ...allowed: readonly string[]): boolean =>
  Object.keys(fields).every((key) => allowed.includes(key));
