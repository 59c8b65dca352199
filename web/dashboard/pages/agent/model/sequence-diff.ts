/** A part of two sequences: in both, only in the first, or only in the second. */
export interface DiffPart<Item> {
  change: "same" | "removed" | "added";
  items: readonly Item[];
}

/** With more changes than these the rest of two sequences counts as changed: beyond them a comparison helps no reader. */
const CHANGES_MAX = 500;

/** All items of two sequences, in order, with as few changes as possible (Myers, An O(ND) Difference Algorithm). */
export function diffSequences<Item>(from: readonly Item[], to: readonly Item[]): DiffPart<Item>[] {
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start++;
  let tail = 0;
  const tailMax = Math.min(from.length, to.length) - start;
  while (tail < tailMax && from.at(-1 - tail) === to.at(-1 - tail)) tail++;
  const middleFrom = from.slice(start, from.length - tail);
  const middleTo = to.slice(start, to.length - tail);
  const middle = shortestScript(middleFrom, middleTo) ?? [
    { change: "removed" as const, items: middleFrom },
    { change: "added" as const, items: middleTo },
  ];
  return joined([
    { change: "same", items: from.slice(0, start) },
    ...middle,
    { change: "same", items: from.slice(from.length - tail) },
  ]);
}

/** Neighbours of one kind as one part. Between two unchanged parts what was removed comes first. */
function joined<Item>(parts: readonly DiffPart<Item>[]): DiffPart<Item>[] {
  const all: DiffPart<Item>[] = [];
  let removed: Item[] = [];
  let added: Item[] = [];
  const flush = (): void => {
    if (removed.length > 0) all.push({ change: "removed", items: removed });
    if (added.length > 0) all.push({ change: "added", items: added });
    [removed, added] = [[], []];
  };
  for (const { change, items } of parts) {
    if (items.length === 0) continue;
    if (change === "removed") removed.push(...items);
    else if (change === "added") added.push(...items);
    else {
      flush();
      const last = all.at(-1);
      if (last?.change === "same") all[all.length - 1] = { change, items: [...last.items, ...items] };
      else all.push({ change, items });
    }
  }
  flush();
  return all;
}

/** Undefined when it has more than CHANGES_MAX changes. */
function shortestScript<Item>(from: readonly Item[], to: readonly Item[]): DiffPart<Item>[] | undefined {
  const max = Math.min(from.length + to.length, CHANGES_MAX);
  const offset = max + 1;
  // By diagonal k = x - y: the furthest x that the changes so far reach.
  const furthest = new Int32Array(2 * max + 3);
  const steps: Int32Array[] = [];
  for (let changes = 0; changes <= max; changes++) {
    steps.push(furthest.slice());
    for (let k = -changes; k <= changes; k += 2) {
      const isInsertion = goesDown(furthest, offset, k, changes);
      let x = isInsertion ? at(furthest, offset + k + 1) : at(furthest, offset + k - 1) + 1;
      while (x < from.length && x - k < to.length && from[x] === to[x - k]) x++;
      furthest[offset + k] = x;
      if (x >= from.length && x - k >= to.length) return scriptOf(from, to, steps, offset);
    }
  }
  return undefined;
}

/** Goes back from the ends of both sequences along the furthest points before each change. */
function scriptOf<Item>(
  from: readonly Item[],
  to: readonly Item[],
  steps: readonly Int32Array[],
  offset: number,
): DiffPart<Item>[] {
  const script: DiffPart<Item>[] = [];
  let [x, y] = [from.length, to.length];
  const back = (untilX: number, untilY: number): void => {
    while (x > untilX && y > untilY) {
      x -= 1;
      y -= 1;
      script.push({ change: "same", items: from.slice(x, x + 1) });
    }
  };
  for (let changes = steps.length - 1; changes > 0; changes--) {
    const furthest = steps[changes] ?? new Int32Array();
    const k = x - y;
    const isInsertion = goesDown(furthest, offset, k, changes);
    const beforeX = at(furthest, isInsertion ? offset + k + 1 : offset + k - 1);
    const beforeY = beforeX - (isInsertion ? k + 1 : k - 1);
    back(beforeX + (isInsertion ? 0 : 1), beforeY + (isInsertion ? 1 : 0));
    if (isInsertion) {
      y -= 1;
      script.push({ change: "added", items: to.slice(y, y + 1) });
    } else {
      x -= 1;
      script.push({ change: "removed", items: from.slice(x, x + 1) });
    }
  }
  back(0, 0);
  return script.reverse();
}

/** Whether the path to diagonal `k` with so many changes comes by an item that was added. */
const goesDown = (furthest: Int32Array, offset: number, k: number, changes: number): boolean =>
  k === -changes || (k !== changes && at(furthest, offset + k - 1) < at(furthest, offset + k + 1));

const at = (values: Int32Array, index: number): number => values[index] ?? 0;
