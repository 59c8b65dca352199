import { type Verdict, verdictOf } from "../harness/verdict.ts";
import { percentOf } from "../hearing/pooled.ts";
import { short } from "../report/html.ts";
import { type EndOfTurnRow, isJudged } from "./end-of-turn/tables.ts";
import type { InactivityRow, InterruptionRow, TurnsOnSpeechResult } from "./result.ts";

// The goals of calls with the service's own detector, which is the last one.

const CLEAN_MS_MAX = { p50: 90, p90: 140 };
const NOISY_MS_MAX = { p50: 120, p90: 220 };
const NOTICED_PERCENT_MIN = 95;
const INACTIVITY_LATER_MS_MAX = 2_000;

/** A verdict for each goal, with each STT. */
export function goalsOf(result: TurnsOnSpeechResult): Verdict[] {
  const detector = result.detectors.at(-1)?.name;
  const interruptions = result.interruptions.filter((row) => row.detector === detector);
  const listening = result.listening.filter((row) => row.detector === detector && row.lineKind === "echo");
  const stops = listening.reduce((sum, { pauses, interruptions: cut }) => sum + pauses + cut, 0);
  const replies = listening.reduce((sum, { calls }) => sum + calls, 0);
  return [
    ...(result.endOfTurn?.rows ?? []).filter(isJudged).flatMap(ends),
    ...interruptions.filter(({ lineKind }) => lineKind === "clean").flatMap((row) => bargeIn(row, CLEAN_MS_MAX)),
    ...interruptions.filter(({ lineKind }) => lineKind === "noise").flatMap((row) => bargeIn(row, NOISY_MS_MAX)),
    {
      budget: "the agent's own echo at -20 dB: pauses and interruptions, none",
      measured: `${stops} in ${replies} replies`,
      verdict: verdictOf(stops === 0),
    },
    ...interruptions.filter(({ lineKind }) => lineKind === "echo").map(noticed),
    ...result.inactivity.filter((row) => row.detector === detector).flatMap((row) => inactive(row, result.inactivity)),
  ];
}

const ANSWER_MS_MAX = { p50: 250, p90: 450 };
const EARLY_PERCENT_MAX = { "single sentence": 2, others: 5 };

function ends({ kind, early, turns, answerMs }: EndOfTurnRow): Verdict[] {
  const earlyMax = kind === "single sentence" ? EARLY_PERCENT_MAX[kind] : EARLY_PERCENT_MAX.others;
  return [
    {
      budget: `held-out languages, ${kind}: answered too early, at most ${earlyMax} %`,
      measured: `${early} of ${turns}`,
      verdict: verdictOf(percentOf(early, turns) <= earlyMax),
    },
    ...(["p50", "p90"] as const).map((name) => ({
      budget: `held-out languages, ${kind}: last clear sample → first frame of the answer, ${name} at most ${ANSWER_MS_MAX[name]} ms`,
      measured: `${short(answerMs[name])} ms`,
      verdict: verdictOf(answerMs[name] <= ANSWER_MS_MAX[name]),
    })),
  ];
}

function bargeIn({ line, sttMode, toLastSentMs }: InterruptionRow, max: { p50: number; p90: number }): Verdict[] {
  return (["p50", "p90"] as const).map((name) => ({
    budget: `${line}, STT with ${sttMode}: speech onset → last sample that the agent sends, ${name} at most ${max[name]} ms`,
    measured: `${short(toLastSentMs[name])} ms`,
    verdict: verdictOf(toLastSentMs[name] <= max[name]),
  }));
}

const noticed = ({ line, sttMode, noticed: count, free, calls }: InterruptionRow): Verdict => ({
  budget: `${line}, STT with ${sttMode}: speech over the agent noticed, at least ${NOTICED_PERCENT_MIN} %`,
  measured: `${count} of ${free}, and in ${calls - free} of ${calls} calls the agent was not speaking`,
  verdict: verdictOf(percentOf(count, free) >= NOTICED_PERCENT_MIN),
});

function inactive({ detector, sttMode, line, promptMs }: InactivityRow, all: readonly InactivityRow[]): Verdict[] {
  const [silence] = all.filter((row) => row.detector === detector && row.sttMode === sttMode);
  if (silence === undefined || silence.line === line) return [];
  const laterMs = promptMs - silence.promptMs;
  return [
    {
      budget: `${line}, STT with ${sttMode}: inactivity prompt at most ${INACTIVITY_LATER_MS_MAX / 1_000} s from that in silence`,
      measured: Number.isNaN(laterMs) ? "it never came" : `${short(laterMs / 1_000)} s later`,
      verdict: verdictOf(Math.abs(laterMs) <= INACTIVITY_LATER_MS_MAX),
    },
  ];
}
