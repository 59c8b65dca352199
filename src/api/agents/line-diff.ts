/** Lines of two texts that follow each other and are in both, only in the first, or only in the second. */
export interface LineBlock {
  change: "same" | "removed" | "added";
  text: string;
}

/**
 * All lines of two texts, in order, with as few changes as possible (Myers, An O(ND) Difference Algorithm). With more than
 * `changesMax` changed lines, all lines between the first and the last difference count as changed.
 */
export function diffLines(before: string, after: string, changesMax: number): LineBlock[] {
  const [from, to] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start++;
  let tail = 0;
  const tailMax = Math.min(from.length, to.length) - start;
  while (tail < tailMax && from.at(-1 - tail) === to.at(-1 - tail)) tail++;
  const [middleFrom, middleTo] = [from.slice(start, from.length - tail), to.slice(start, to.length - tail)];
  const changes = shortestScript(middleFrom, middleTo, changesMax) ?? [
    ...middleFrom.map((text) => ({ change: "removed" as const, text })),
    ...middleTo.map((text) => ({ change: "added" as const, text })),
  ];
  const same = (lines: readonly string[]) => lines.map((text) => ({ change: "same" as const, text }));
  return joined([...same(from.slice(0, start)), ...changes, ...same(from.slice(from.length - tail))]);
}

/** Lines with their ends; the last one may have none. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

function joined(lines: readonly LineBlock[]): LineBlock[] {
  const blocks: { change: LineBlock["change"]; texts: string[] }[] = [];
  for (const { change, text } of lines) {
    const last = blocks.at(-1);
    if (last?.change === change) last.texts.push(text);
    else blocks.push({ change, texts: [text] });
  }
  return blocks.map(({ change, texts }) => ({ change, text: texts.join("") }));
}

/** Undefined when it has more than `changesMax` changes. */
function shortestScript(from: readonly string[], to: readonly string[], changesMax: number): LineBlock[] | undefined {
  const max = Math.min(from.length + to.length, changesMax);
  const offset = max + 1;
  // By diagonal k = x - y: the furthest x that the changes so far reach.
  const furthest = new Int32Array(2 * max + 3);
  const steps: Int32Array[] = [];
  for (let changes = 0; changes <= max; changes++) {
    steps.push(furthest.slice(offset - changes - 1, offset + changes + 2));
    for (let k = -changes; k <= changes; k += 2) {
      const isInsertion =
        k === -changes || (k !== changes && at(furthest, offset + k - 1) < at(furthest, offset + k + 1));
      let x = isInsertion ? at(furthest, offset + k + 1) : at(furthest, offset + k - 1) + 1;
      while (x < from.length && x - k < to.length && from[x] === to[x - k]) x++;
      furthest[offset + k] = x;
      if (x >= from.length && x - k >= to.length) return scriptOf(from, to, steps);
    }
  }
  return undefined;
}

/** Goes back from the ends of both texts. `steps` has the furthest points before each change, from diagonal -changes - 1 on. */
function scriptOf(from: readonly string[], to: readonly string[], steps: readonly Int32Array[]): LineBlock[] {
  const script: LineBlock[] = [];
  let [x, y] = [from.length, to.length];
  const back = (untilX: number, untilY: number): void => {
    while (x > untilX && y > untilY) {
      script.push({ change: "same", text: from[--x] ?? "" });
      y--;
    }
  };
  for (let changes = steps.length - 1; changes > 0; changes--) {
    const furthest = steps[changes] ?? new Int32Array();
    const middle = changes + 1;
    const k = x - y;
    const isInsertion =
      k === -changes || (k !== changes && at(furthest, middle + k - 1) < at(furthest, middle + k + 1));
    const beforeX = at(furthest, isInsertion ? middle + k + 1 : middle + k - 1);
    const beforeY = beforeX - (isInsertion ? k + 1 : k - 1);
    back(beforeX + (isInsertion ? 0 : 1), beforeY + (isInsertion ? 1 : 0));
    if (isInsertion) script.push({ change: "added", text: to[--y] ?? "" });
    else script.push({ change: "removed", text: from[--x] ?? "" });
  }
  back(0, 0);
  return script.reverse();
}

const at = (values: Int32Array, index: number): number => values[index] ?? 0;
