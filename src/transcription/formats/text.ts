import { joinTexts } from "../../core/text/words.ts";
import type { TranscriptionResult } from "../../core/transcriptions/result.ts";
import { speakerNames } from "./speaker-names.ts";

/** A result as plain text: one line, or where speakers are known a line for each time that one of them speaks. */
export function textOf(result: TranscriptionResult): string {
  const nameOf = speakerNames(result);
  const turns: { name: string | undefined; text: string }[] = [];
  for (const utterance of result.utterances) {
    const [name, last] = [nameOf(utterance), turns.at(-1)];
    if (last?.name === name && last !== undefined) last.text = joinTexts(last.text, utterance.text);
    else turns.push({ name, text: utterance.text });
  }
  return turns.map(({ name, text }) => `${name === undefined ? "" : `${name}: `}${text}\n`).join("");
}
