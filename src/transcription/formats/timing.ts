import type { CueText } from "./layout.ts";
import { CUE_CHARS_PER_SECOND_MAX, CUE_GAP_MS_MIN, CUE_LAG_MS_MAX, CUE_MS_MAX, CUE_MS_MIN } from "./limits.ts";
import { charsIn } from "./tokens.ts";

/** When a cue is shown, ms. */
export interface CueTimes {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * When cues are shown, which are in the order of their start. A cue begins with its first word, and stays until its last one and until
 * it can be read at CUE_CHARS_PER_SECOND_MAX, which extends it into the pause after it.
 *
 * Where people speak faster, the next cue begins up to CUE_LAG_MS_MAX late, if there is time for it later. If that is not enough, the
 * cue is shown for a shorter time than reading takes, and the next one follows it at once. CUE_MS_MIN, CUE_MS_MAX and CUE_GAP_MS_MIN
 * always hold: where cues of CUE_MS_MIN are too many, they come later than their words, until there is a pause.
 */
export function cueTimes(cues: readonly Omit<CueText, "lines">[], charsOf: (index: number) => number): CueTimes[] {
  const readMs = cues.map((_, index) => readingMs(charsOf(index)));
  const latestMs = latestStarts(cues, readMs);
  const times: CueTimes[] = [];
  cues.forEach((cue, index) => {
    const startMs = Math.max(cue.startMs, (times.at(-1)?.endMs ?? Number.NEGATIVE_INFINITY) + CUE_GAP_MS_MIN);
    const readEndMs = Math.min(startMs + (readMs[index] as number), roomUntil(latestMs[index + 1]));
    const spokenEndMs = Math.min(cue.endMs, roomUntil(cues[index + 1]?.startMs));
    const endMs = Math.min(Math.max(readEndMs, spokenEndMs), startMs + CUE_MS_MAX);
    times.push({ startMs, endMs: Math.max(endMs, startMs + CUE_MS_MIN) });
  });
  return times;
}

/** How long it takes to read so many characters, in the limits of a cue. */
const readingMs = (chars: number): number =>
  Math.min(CUE_MS_MAX, Math.max(CUE_MS_MIN, Math.ceil((chars * 1_000) / CUE_CHARS_PER_SECOND_MAX)));

const roomUntil = (nextStartMs = Number.POSITIVE_INFINITY): number => nextStartMs - CUE_GAP_MS_MIN;

/** When each cue must begin at the latest so that it and those after it can be read, no later than CUE_LAG_MS_MAX. */
function latestStarts(cues: readonly Omit<CueText, "lines">[], readMs: readonly number[]): number[] {
  const latest = Array<number>(cues.length).fill(0);
  for (let index = cues.length - 1; index >= 0; index -= 1) {
    const { startMs } = cues[index] as CueText;
    const lastMs = roomUntil(latest[index + 1]) - (readMs[index] as number);
    latest[index] = Math.max(startMs, Math.min(startMs + CUE_LAG_MS_MAX, lastMs));
  }
  return latest;
}

/** The characters of a cue; a line break is read as a space. */
export const charsOfLines = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + charsIn(line) + 1, -1);
