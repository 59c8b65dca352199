/** Adds to the query of `url` each of `defaults` that the query does not set itself. */
export function withQueryDefaults(url: string, defaults: Readonly<Record<string, string>>): URL {
  const complete = new URL(url);
  for (const [name, value] of Object.entries(defaults)) {
    if (!complete.searchParams.has(name)) complete.searchParams.set(name, value);
  }
  return complete;
}
