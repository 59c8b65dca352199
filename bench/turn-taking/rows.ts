import { short, whole } from "../report/html.ts";
import type { CaseResult, Figures, Group, TurnsResult } from "./result.ts";

// What the terminal and the page show of a result, under the same names.

export interface TurnsTable {
  columns: readonly string[];
  rows: string[][];
}

const INTERRUPTED = [
  "paused first %",
  "calls",
  "stopped %",
  "interrupted %",
  "last sample",
  "silence",
  "interrupted",
  "words lost %",
  "answer",
];

/** Interruptions of some groups: what they led to, and when: ms, p50 / p90. */
export function interruptedTable(result: TurnsResult, groups: readonly Group[]): TurnsTable {
  const rows = casesOf(result, groups).flatMap(({ title, sttMode, calls: all, falselyPaused, interruption }) => {
    if (interruption === undefined) return [];
    const { calls, stopped, interrupted, toLastSentMs, toSilenceMs, toInterruptionMs, answerMs } = interruption;
    const { callerWords, callerWordsLost } = interruption;
    return [
      [
        title,
        sttMode,
        percent(falselyPaused, all),
        whole(calls),
        percent(stopped, calls),
        percent(interrupted, calls),
        ...[toLastSentMs, toSilenceMs, toInterruptionMs].map(halfAndMost),
        ofWords(callerWordsLost, callerWords),
        halfAndMost(answerMs),
      ],
    ];
  });
  return { columns: ["interruption", "STT", ...INTERRUPTED], rows };
}

const UNWANTED = ["calls", "paused %", "interrupted %", "pauses a minute", "paused for", "words lost %"];

/** Stops that were not wanted, in some groups; ms, p50 / p90. */
export function unwantedTable(result: TurnsResult, groups: readonly Group[]): TurnsTable {
  const rows = casesOf(result, groups).map((one) => [
    one.title,
    one.sttMode,
    whole(one.calls),
    percent(one.falselyPaused, one.calls),
    percent(one.falselyInterrupted, one.calls),
    short((one.falsePauses * 60_000) / one.agentMs),
    halfAndMost(one.falsePauseMs),
    ofWords(one.agentWordsLost, one.agentWords),
  ]);
  return { columns: ["what is heard", "STT", ...UNWANTED], rows };
}

export const casesOf = ({ cases }: TurnsResult, groups: readonly Group[]): CaseResult[] =>
  cases.filter(({ group }) => groups.includes(group));

const halfAndMost = ({ count, p50, p90 }: Figures): string => (count === 0 ? "–" : `${whole(p50)} / ${whole(p90)}`);

export const percent = (part: number, of: number): string => (of === 0 ? "–" : whole((100 * part) / of));
const ofWords = (lost: number, of: number): string => (of === 0 ? "–" : short((100 * lost) / of));
