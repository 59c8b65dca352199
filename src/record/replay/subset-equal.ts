/**
 * Whether `given` is what `journaled` tells of it. A journal of an older build tells less of some commands: what it does not tell
 * is not compared. Both are as JSON has them.
 */
export function isSubsetEqual(journaled: unknown, given: unknown): boolean {
  if (typeof journaled !== "object" || journaled === null || typeof given !== "object" || given === null) {
    return Object.is(journaled, given);
  }
  if (Array.isArray(journaled) !== Array.isArray(given)) return false;
  if (Array.isArray(journaled) && Array.isArray(given) && journaled.length !== given.length) return false;
  const told = new Map(Object.entries(given));
  return Object.entries(journaled).every(([name, value]) => isSubsetEqual(value, told.get(name)));
}
