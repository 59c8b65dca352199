import { DEFAULT_TRANSCRIPTION_OPTIONS } from "../../../src/core/transcriptions/options.ts";
import { joinParts } from "../../../src/transcription/join/join-parts.ts";
import { randomRecording } from "./random-recording.ts";

const OPTIONS = { ...DEFAULT_TRANSCRIPTION_OPTIONS, language: "en" };
/** Times of the result are as far off as those of the parts, and rounded. */
const JITTER_MS_MAX = 201;

/** What is wrong with the joined words of the random recording of `seed`; undefined where each word is there once. */
export function joinProblem(seed: number): string | undefined {
  const { spoken, parts, durationMs } = randomRecording(seed);
  const { words } = joinParts(parts, { options: OPTIONS, durationMs, channels: 1 });
  const expected = spoken.map(({ text }) => text).join(" ");
  const actual = words.map(({ text }) => text).join(" ");
  if (actual !== expected) return `seed ${seed}: spoken\n${expected}\njoined\n${actual}`;
  const late = words.find(({ startMs }, at) => Math.abs(startMs - (spoken[at]?.startMs ?? 0)) > JITTER_MS_MAX);
  return late === undefined ? undefined : `seed ${seed}: ${late.text} has the time ${late.startMs}`;
}

/** The problems of `count` random recordings. */
export const joinProblems = (count: number, firstSeed = 1): string[] =>
  Array.from({ length: count }, (_, at) => joinProblem(firstSeed + at)).filter((problem) => problem !== undefined);
