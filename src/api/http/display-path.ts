/** Where a field is in a request: the names and indexes that lead to it. */
export type Path = readonly PropertyKey[];

/** Longer than any path to a field that the API defines; clients' own field names may be longer. In UTF-16 units. */
const PATH_CHARS_MAX = 256;

/** A path as responses show it: never truncated inside a name. */
export interface DisplayPath {
  /** JSON pointer (RFC 6901). */
  pointer: string;
  /** The names with dots between them, for messages; empty for the body as a whole. */
  name: string;
  /** False when the whole path is too long to show: this is then the longest prefix that fits. */
  isWhole: boolean;
}

/** Renders a path. A path that is too long ends at the last name that fits, so that it still points to a field. */
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

/** Replaces controls and unpaired surrogates with U+FFFD: JSON would write each of them in six characters. */
export const printable = (text: string): string => text.replace(/[\p{Control}\p{Surrogate}]/gu, "\ufffd");
