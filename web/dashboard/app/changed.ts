/** The members of a request that differ from what there was, as JSON has them. */
export function changed<Body extends object>(before: Body, after: Body): Partial<Body> {
  const differs = ([name, value]: [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify((before as Record<string, unknown>)[name]);
  return Object.fromEntries(Object.entries(after).filter(differs)) as Partial<Body>;
}
