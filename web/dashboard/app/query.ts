export type QueryChanges = Readonly<Record<string, string | undefined>>;

/** The query of an address with changes, with its question mark; undefined and an empty text remove a name. Empty without any. */
export function withQuery(search: string, changes: QueryChanges): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** Where the sign-in page leads afterwards: a page of the dashboard, never another site. */
export function nextPageOf(next: string | undefined, home: string): string {
  // A browser reads a backslash as a slash, and drops tabs and line breaks.
  const isOwn = next !== undefined && /^\/dashboard\/[\w\-/?&=%.+~:[\]]*$/.test(next) && !next.includes("//");
  return isOwn ? next : home;
}
