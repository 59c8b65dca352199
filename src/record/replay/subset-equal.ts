/**
 * Whether `given` has every member of `journaled` with the same value. A journal of an older build lacks members of
 * some commands; these are not compared. Both values are as JSON gives them.
 */
export function isSubsetEqual(journaled: unknown, given: unknown): boolean {
  if (typeof journaled !== "object" || journaled === null || typeof given !== "object" || given === null) {
    return Object.is(journaled, given);
  }
  if (Array.isArray(journaled) !== Array.isArray(given)) return false;
  if (Array.isArray(journaled) && Array.isArray(given) && journaled.length !== given.length) return false;
  const members = new Map(Object.entries(given));
  return Object.entries(journaled).every(([name, value]) => isSubsetEqual(value, members.get(name)));
}
