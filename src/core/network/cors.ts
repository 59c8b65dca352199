/**
 * The CORS headers of a response that pages of some origins may read (Fetch standard), as pairs of name and value. `origin` is the
 * request's header `Origin`. Without allowed origins there are no headers.
 */
export function corsHeaders(
  origin: string | undefined,
  allowed: readonly string[],
): readonly (readonly [name: string, value: string])[] {
  if (allowed.length === 0) return [];
  const varies = ["Vary", "Origin"] as const;
  if (origin === undefined || !allowed.includes(origin)) return [varies];
  return [
    varies,
    ["Access-Control-Allow-Origin", origin],
    ["Access-Control-Expose-Headers", "Retry-After, X-Request-Id"],
  ];
}
