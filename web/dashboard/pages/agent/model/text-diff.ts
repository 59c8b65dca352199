import { type DiffPart, diffSequences } from "./sequence-diff.ts";

/** Words of a changed line: those that are in both texts, and those that are in this one alone. */
export interface WordRun {
  text: string;
  isChanged: boolean;
}

/** A line of a comparison; `gap`: so many lines that are the same are left out. */
export type DiffLine =
  | { kind: "same" | "removed" | "added"; words: readonly WordRun[] }
  | { kind: "gap"; lines: number };

/** Unchanged lines that are shown around a change. */
const CONTEXT_LINES = 2;
/** With less in common than this share two lines are different ones, whose words are not compared. */
const COMMON_SHARE_MIN = 0.3;

/** Two texts by lines; words are compared inside lines that stand for each other. Empty where nothing differs. */
export function diffTexts(before: string, after: string): DiffLine[] {
  if (before === after) return [];
  const parts = diffSequences(linesOf(before), linesOf(after));
  const lines: DiffLine[] = [];
  parts.forEach((part, index) => {
    if (part.change === "same") lines.push(...contextOf(part.items, index === 0, index === parts.length - 1));
    else if (part.change === "removed") {
      const next = parts[index + 1];
      lines.push(...changedLines(part.items, next?.change === "added" ? next.items : []));
    } else if (parts[index - 1]?.change !== "removed") lines.push(...changedLines([], part.items));
  });
  return lines;
}

/** An empty text has no line. */
const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.split("\n"));

function contextOf(items: readonly string[], isFirst: boolean, isLast: boolean): DiffLine[] {
  const shown = items.map((text): DiffLine => ({ kind: "same", words: [{ text, isChanged: false }] }));
  const head = isFirst ? 0 : CONTEXT_LINES;
  const tail = isLast ? 0 : CONTEXT_LINES;
  const lines = shown.length - head - tail;
  // A gap of one line takes the place of that line.
  if (lines <= 1) return shown;
  return [...shown.slice(0, head), { kind: "gap", lines }, ...shown.slice(shown.length - tail)];
}

/** Lines that were replaced by others: each pair of them that is alike with its words, first all old ones, then all new ones. */
function changedLines(removed: readonly string[], added: readonly string[]): DiffLine[] {
  const pairs = Array.from({ length: Math.max(removed.length, added.length) }, (_, index) =>
    wordsOfPair(removed[index], added[index]),
  );
  return [
    ...pairs.flatMap(({ before }): DiffLine[] => (before === undefined ? [] : [{ kind: "removed", words: before }])),
    ...pairs.flatMap(({ after }): DiffLine[] => (after === undefined ? [] : [{ kind: "added", words: after }])),
  ];
}

interface PairWords {
  before: readonly WordRun[] | undefined;
  after: readonly WordRun[] | undefined;
}

function wordsOfPair(before: string | undefined, after: string | undefined): PairWords {
  const whole = (text: string | undefined): readonly WordRun[] | undefined =>
    text === undefined ? undefined : [{ text, isChanged: false }];
  if (before === undefined || after === undefined) return { before: whole(before), after: whole(after) };
  const parts = diffSequences(wordsOf(before), wordsOf(after));
  const common = lengthOf(parts, "same");
  if (common < COMMON_SHARE_MIN * Math.max(before.length, after.length)) {
    return { before: whole(before), after: whole(after) };
  }
  return { before: runsOf(parts, "removed"), after: runsOf(parts, "added") };
}

/** Words, and what stands between them. */
const wordsOf = (line: string): readonly string[] =>
  line.match(/[\p{L}\p{N}\p{M}_]+|\s+|[^\p{L}\p{N}\p{M}_\s]/gu) ?? [];

/** Without spaces, which any two lines have in common. */
const lengthOf = (parts: readonly DiffPart<string>[], change: DiffPart<string>["change"]): number =>
  parts
    .filter((part) => part.change === change)
    .flatMap(({ items }) => items)
    .reduce((sum, word) => sum + word.trim().length, 0);

/** The words of one side. A space between two changed words counts as changed: otherwise the marks would be torn. */
function runsOf(parts: readonly DiffPart<string>[], change: "removed" | "added"): readonly WordRun[] {
  const own = parts.filter((part) => part.change === "same" || part.change === change);
  const runs: WordRun[] = [];
  own.forEach((part, index) => {
    const text = part.items.join("");
    const isBetween = text.trim() === "" && own[index - 1]?.change === change && own[index + 1]?.change === change;
    const isChanged = part.change === change || isBetween;
    const last = runs.at(-1);
    if (last?.isChanged === isChanged) runs[runs.length - 1] = { text: last.text + text, isChanged };
    else runs.push({ text, isChanged });
  });
  return runs;
}
