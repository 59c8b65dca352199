import { isObject } from "../../../core/json.ts";
import type { PartWord } from "../../../core/transcriptions/part.ts";

/** The words in a list of a provider's answer, in the order of their start; undefined where it is no list, or has something else. */
export function answerWords(
  list: unknown,
  read: (word: Record<string, unknown>) => AnswerWord,
): PartWord[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const words: PartWord[] = [];
  for (const item of list) {
    const word = isObject(item) ? partWord(read(item)) : undefined;
    if (word === undefined) return undefined;
    if (word.text !== "") words.push(word);
  }
  return words.toSorted((a, b) => a.startMs - b.startMs);
}

/** A word as an answer has it, with times in ms. */
interface AnswerWord {
  text: unknown;
  startMs: unknown;
  endMs: unknown;
  confidence?: unknown;
  speaker?: unknown;
}

function partWord({ text, startMs, endMs, confidence, speaker }: AnswerWord): PartWord | undefined {
  if (typeof text !== "string" || !isTime(startMs) || !isTime(endMs)) return undefined;
  return {
    text: text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim(),
    startMs,
    endMs: Math.max(startMs, endMs),
    ...(typeof confidence === "number" ? { confidence: Math.min(1, Math.max(0, confidence)) } : {}),
    ...(typeof speaker === "number" && Number.isSafeInteger(speaker) && speaker >= 0 ? { speaker } : {}),
  };
}

const isTime = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0;

/** Seconds of an answer in ms; anything else as it is. */
export const secondsInMs = (seconds: unknown): unknown =>
  typeof seconds === "number" ? Math.round(seconds * 1_000) : seconds;
