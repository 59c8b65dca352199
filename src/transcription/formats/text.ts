import { joinAllTexts } from "../../core/text/words.ts";
import type { TranscriptionResult } from "../../core/transcriptions/result.ts";
import { speakerNames } from "./speaker-names.ts";

/** A result as plain text: one line, or where speakers are known a line for each time that one of them speaks. */
export function textOf(result: TranscriptionResult): string {
  const nameOf = speakerNames(result);
  const turns: { name: string | undefined; texts: string[] }[] = [];
  for (const utterance of result.utterances) {
    const [name, last] = [nameOf(utterance), turns.at(-1)];
    if (last?.name === name && last !== undefined) last.texts.push(utterance.text);
    else turns.push({ name, texts: [utterance.text] });
  }
  return turns.map(({ name, texts }) => `${name === undefined ? "" : `${name}: `}${joinAllTexts(texts)}\n`).join("");
}
