export type Path = readonly PropertyKey[];

/** Longer than any path to a field that the API knows; what a client calls its own fields may be longer. In UTF-16 units. */
const PATH_CHARS_MAX = 256;

/** A path as answers show it: never cut inside a name. */
export interface DisplayPath {
  /** JSON pointer (RFC 6901). */
  pointer: string;
  /** The names with dots between them, for messages; empty for the body as a whole. */
  name: string;
  /** False where the whole path is too long to show: then this is the longest part from its beginning that is not. */
  isWhole: boolean;
}

/** Renders a path. One that is too long ends at the last name that fits, so that it still points at something. */
export function displayPath(path: Path): DisplayPath {
  const names: string[] = [];
  let pointer = "";
  for (const key of path) {
    const text = String(key);
    if (pointer.length + text.length > PATH_CHARS_MAX) return { pointer, name: names.join("."), isWhole: false };
    const name = printable(text);
    pointer += `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    names.push(name);
  }
  return { pointer, name: names.join("."), isWhole: true };
}

/** Controls and half surrogate pairs become U+FFFD: JSON would spell each of them out in six characters. */
export const printable = (text: string): string => text.replace(/[\p{Control}\p{Surrogate}]/gu, "\ufffd");
