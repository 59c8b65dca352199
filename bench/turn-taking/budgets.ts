import { FROM_DETECTION_MS_MAX, FROM_SPEECH_P50_MS_MAX, FROM_SPEECH_P90_MS_MAX } from "../barge-in/budgets.ts";
import { type Verdict, verdictOf } from "../harness/verdict.ts";
import { short } from "../report/html.ts";
import type { CaseResult, TurnsResult } from "./result.ts";

// The budgets of barging in. None stops the bench: a run that misses one is a good run, and says so.

/** Interruptions on a quiet line, and, for the service's own share, every call in which it paused the agent. */
export function goalsOf({ cases }: TurnsResult): Verdict[] {
  const quiet = cases.filter(({ group, interruption }) => group === "interruptions" && interruption !== undefined);
  const first = quiet[0]?.title;
  const onsets = cases.flatMap(({ interruption }) => interruption?.fromOnsetToLastSentMs.max ?? []);
  const slowestMs = Math.max(...onsets.filter((value) => !Number.isNaN(value)));
  return [
    ...quiet.filter(({ title }) => title === first).flatMap(bargeIn),
    {
      budget: `from the detector's onset to the last sample of the agent that leaves: at most a frame of ${FROM_DETECTION_MS_MAX} ms`,
      measured: slowestMs <= 0 ? `it had left before, in every call` : `at most ${short(slowestMs)} ms later`,
      verdict: verdictOf(slowestMs <= FROM_DETECTION_MS_MAX),
    },
  ];
}

function bargeIn({ title, sttMode, interruption }: CaseResult): Verdict[] {
  const { p50 = Number.NaN, p90 = Number.NaN } = interruption?.toLastSentMs ?? {};
  const goal = (name: string, valueMs: number, maxMs: number): Verdict => ({
    budget: `${title}, STT with ${sttMode}: first sample of the caller's speech → last sample of the agent leaves, ${name} at most ${maxMs} ms`,
    measured: `${short(valueMs)} ms`,
    verdict: verdictOf(valueMs <= maxMs),
  });
  return [goal("p50", p50, FROM_SPEECH_P50_MS_MAX), goal("p90", p90, FROM_SPEECH_P90_MS_MAX)];
}
