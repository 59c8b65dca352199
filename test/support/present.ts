/** The value, which a test has made sure is there. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("what the test needs is absent");
  return value;
}
