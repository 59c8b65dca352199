/**
 * How many characters must be inserted, deleted, replaced or swapped with a neighbour to turn one text into the other (optimal string
 * alignment).
 */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(replaced, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

/** The first of the `known` texts with the least distance from `given`; undefined when none is within `distanceMax`. */
export function nearestOf(given: string, known: readonly string[], distanceMax: number): string | undefined {
  let nearest: string | undefined;
  let least = distanceMax + 1;
  for (const candidate of known) {
    const distance = editDistance(given, candidate);
    if (distance >= least) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}
