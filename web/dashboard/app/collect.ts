/** An export has so many items at most, because it is put together in the memory of the browser. */
export const EXPORTED_MAX = 50_000;

/** What was read of a list, from its beginning. */
export interface Collected<T> {
  items: readonly T[];
  /** The list has more than may be read. */
  isCut: boolean;
}

/** Reads a list, at most so much of it. `onProgress` gets how much is there, at the start and now and then. */
export async function collect<T>(
  list: AsyncIterable<T>,
  onProgress: (count: number) => void,
  countMax = EXPORTED_MAX,
): Promise<Collected<T>> {
  const items: T[] = [];
  onProgress(0);
  for await (const item of list) {
    if (items.length === countMax) return { items, isCut: true };
    items.push(item);
    if (items.length % 100 === 0) onProgress(items.length);
  }
  return { items, isCut: false };
}
