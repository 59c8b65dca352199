/** `url` with each of `defaults` in its query that it does not name itself. */
export function withQueryDefaults(url: string, defaults: Readonly<Record<string, string>>): URL {
  const complete = new URL(url);
  for (const [name, value] of Object.entries(defaults)) {
    if (!complete.searchParams.has(name)) complete.searchParams.set(name, value);
  }
  return complete;
}
