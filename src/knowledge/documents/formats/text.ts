import type { Block } from "../../chunking/blocks.ts";
import { decodedText } from "./decode.ts";

/** A paragraph is not collected further than this, UTF-16 code units: a file may have no blank line at all. */
const PARAGRAPH_CHARS_MAX = 20_000;

/** The paragraphs of a plain text, which blank lines divide. */
export async function* textBlocks(path: string): AsyncGenerator<Block> {
  let rest = "";
  for await (const part of decodedText(path)) {
    rest = (rest + part).replace(/\r\n/g, "\n");
    const paragraphs = rest.split(/\n[^\S\n]{0,200}\n/);
    rest = paragraphs.pop() ?? "";
    for (const text of paragraphs) yield { kind: "text", text };
    while (rest.length > PARAGRAPH_CHARS_MAX) {
      const end = lineEndBefore(rest, PARAGRAPH_CHARS_MAX);
      yield { kind: "text", text: rest.slice(0, end) };
      rest = rest.slice(end);
    }
  }
  yield { kind: "text", text: rest };
}

/** Where a text may be cut, at a line end or a blank if there is one, and never between the halves of a character. */
function lineEndBefore(text: string, charsMax: number): number {
  for (const mark of ["\n", " "]) {
    const end = text.lastIndexOf(mark, charsMax);
    if (end > charsMax / 2) return end;
  }
  const unit = text.charCodeAt(charsMax - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? charsMax - 1 : charsMax;
}
