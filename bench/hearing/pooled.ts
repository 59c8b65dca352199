import { figuresOf } from "../turn-taking/case-results.ts";
import type { Figures } from "../turn-taking/result.ts";
import { added, type Measures } from "./measures.ts";
import { type Language, TUNING_LANGUAGES } from "./prompts.ts";
import type { Cell, HearingResult } from "./result.ts";

/** One detector in one condition, over all languages. */
export interface Pooled {
  detector: string;
  condition: string;
  kind: Cell["kind"];
  all: Measures;
  onsetMs: Figures;
  /** Clear speech missed, %: in all, in the languages that detectors are tuned with, and in those that are held out. */
  missed: number;
  tunedMissed: number;
  heldOutMissed: number;
  /** The language in which most is missed, of those that are long enough to be judged; undefined where none is. */
  worst: { language: Language; missed: number } | undefined;
}

export const percentOf = (part: number, whole: number): number => (100 * part) / whole;
export const missedPercent = ({ missedFrames, clearFrames }: Measures): number => percentOf(missedFrames, clearFrames);
export const cutPercent = ({ cut, oneSentences }: Measures): number => percentOf(cut, oneSentences);

/** A language with fewer frames of clear speech, two minutes, is part of the sums and not judged by itself. */
const JUDGED_FRAMES_MIN = 6_000;

/** The cells of `detector`, condition by condition. */
export function pooledOf({ cells }: Pick<HearingResult, "cells">, detector: string): Pooled[] {
  const own = cells.filter((cell) => cell.detector === detector);
  const conditions = [...new Set(own.map(({ condition }) => condition))];
  return conditions.map((condition) => {
    const within = own.filter((cell) => cell.condition === condition);
    const all = added(within.map(({ measures }) => measures));
    const part = (isTuning: boolean): number =>
      missedPercent(
        added(
          within.flatMap(({ language, measures }) =>
            TUNING_LANGUAGES.includes(language) === isTuning ? [measures] : [],
          ),
        ),
      );
    const judged = within.filter(({ measures }) => measures.clearFrames >= JUDGED_FRAMES_MIN);
    const byLanguage = judged
      .map(({ language, measures }) => ({ language, missed: missedPercent(measures) }))
      .sort((a, b) => b.missed - a.missed);
    return {
      detector,
      condition,
      kind: (within[0] as Cell).kind,
      all,
      onsetMs: figuresOf(all.onsetsMs),
      missed: missedPercent(all),
      tunedMissed: part(true),
      heldOutMissed: part(false),
      worst: byLanguage[0],
    };
  });
}

/** By how many points more of the same prompts is missed later in a call, by condition; all languages together. */
export function deafnessOf(
  { deafness }: Pick<HearingResult, "deafness">,
  detector: string,
): { condition: string; minute: number; first: number; later: number }[] {
  const own = deafness.filter((cell) => cell.detector === detector);
  return [...new Set(own.map(({ condition }) => condition))].map((condition) => {
    const within = own.filter((cell) => cell.condition === condition);
    return {
      condition,
      minute: (within[0] as (typeof within)[number]).minute,
      first: missedPercent(added(within.map(({ first }) => first))),
      later: missedPercent(added(within.map(({ later }) => later))),
    };
  });
}
