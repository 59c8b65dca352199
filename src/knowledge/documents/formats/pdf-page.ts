import type { Block } from "../../chunking/blocks.ts";

/** A run of characters on a page, as pdf.js gives it. */
export interface TextItem {
  readonly str: string;
  /** The matrix of its letters; the last two are where it begins, in points from the lower left corner. */
  readonly transform: readonly unknown[];
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
}

interface Line {
  text: string;
  readonly x: number;
  readonly y: number;
  /** Where its last item ends. */
  end: number;
  /** Of its tallest letters, in points. */
  height: number;
}

/** A line whose letters are so much taller than those of most of the text is a heading; the taller, the further out. */
const HEADING_RATIOS = [1.7, 1.35, 1.12] as const;
const HEADING_CHARS_MAX = 150;
/** A paragraph is not collected further than this, UTF-16 code units. */
const PARAGRAPH_CHARS_MAX = 20_000;
/** A line that begins this many line heights below the one before begins a paragraph. */
const PARAGRAPH_GAP = 1.6;
/** Items of one line whose gap is wider than this, in letter heights, are divided by a space. */
const SPACE_GAP = 0.15;

/** Finds the headings and paragraphs of pages, one after the other. A PDF has only letters and their places. */
export class PageReader {
  /** How many characters the pages so far have of each height, in tenths of a point. */
  readonly #heights = new Map<number, number>();

  /** The blocks of the page with this number, from 1. */
  read(page: number, items: readonly TextItem[]): readonly Block[] {
    const lines = linesOf(items);
    for (const { text, height } of lines) {
      const key = Math.round(height * 10);
      this.#heights.set(key, (this.#heights.get(key) ?? 0) + text.length);
    }
    const bodyHeight = this.#bodyHeight();
    const blocks: Block[] = [];
    let paragraph: Line | undefined;
    let last: Line | undefined;
    const flush = (): void => {
      if (paragraph !== undefined) blocks.push({ kind: "text", text: paragraph.text, page });
      paragraph = undefined;
    };
    for (const line of lines) {
      const level = levelOf(line, bodyHeight);
      if (level !== undefined) {
        flush();
        addHeading(blocks, { level, text: line.text, page }, isNext(last, line));
      } else if (paragraph === undefined || !isNext(last, line) || paragraph.text.length > PARAGRAPH_CHARS_MAX) {
        flush();
        paragraph = { ...line };
      } else paragraph.text = joinLines(paragraph.text, line.text);
      last = line;
    }
    flush();
    return blocks;
  }

  #bodyHeight(): number {
    let most = 0;
    let height = 0;
    for (const [key, characters] of this.#heights) {
      if (characters > most) [most, height] = [characters, key / 10];
    }
    return height;
  }
}

/** A heading of two lines is one. */
function addHeading(
  blocks: Block[],
  heading: { level: number; text: string; page: number },
  isNextLine: boolean,
): void {
  const before = blocks.at(-1);
  if (isNextLine && before?.kind === "heading" && before.level === heading.level) {
    blocks[blocks.length - 1] = { ...before, text: `${before.text} ${heading.text}` };
  } else blocks.push({ kind: "heading", ...heading });
}

function levelOf({ text, height }: Line, bodyHeight: number): number | undefined {
  if (text.length > HEADING_CHARS_MAX || !/\p{L}/u.test(text)) return undefined;
  const place = HEADING_RATIOS.findIndex((ratio) => height >= ratio * bodyHeight);
  return place < 0 ? undefined : place + 1;
}

/** Whether a line follows the other within its paragraph or heading. */
function isNext(last: Line | undefined, line: Line): boolean {
  if (last === undefined || Math.abs(last.height - line.height) > 0.12 * last.height) return false;
  const gap = last.y - line.y;
  return gap > 0 && gap < PARAGRAPH_GAP * Math.max(last.height, line.height);
}

/** A word that a hyphen divides at the end of a line is joined again. */
function joinLines(text: string, next: string): string {
  const isDivided = /^\p{Ll}-$/u.test(text.slice(-2)) && /^\p{Ll}/u.test(next.slice(0, 2));
  return isDivided ? text.slice(0, -1) + next : `${text} ${next}`;
}

function linesOf(items: readonly TextItem[]): readonly Line[] {
  const lines: Line[] = [];
  let line: Line | undefined;
  for (const item of items) {
    const [x, y] = item.transform.slice(4).map(Number) as [number, number];
    const height = item.height;
    if (item.str !== "") {
      if (line === undefined || Math.abs(y - line.y) > 0.5 * Math.max(height, line.height)) {
        line = { text: "", x, y, end: x, height };
        lines.push(line);
      }
      const hasGap = line.text !== "" && Math.abs(x - line.end) > SPACE_GAP * Math.max(height, 1);
      line.text += (hasGap && !line.text.endsWith(" ") && !item.str.startsWith(" ") ? " " : "") + item.str;
      line.end = x + item.width;
      line.height = Math.max(line.height, height);
    }
    if (item.hasEOL) line = undefined;
  }
  return lines.map((one) => ({ ...one, text: one.text.trim() })).filter(({ text }) => text !== "");
}
