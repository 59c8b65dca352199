import type { Case } from "./cases.ts";
import type { CaseResult, Figures, Interruption, SttMode } from "./result.ts";
import type { Stop, Trial } from "./trial.ts";

/** A call that was watched, and what was to be said in it. */
export interface ObservedTrial {
  trial: Trial;
  /** What the agent was to say. */
  greeting: string;
  /** What the caller said and wants answered. */
  said: string;
}

/** A stop comes in time that comes no later than this after the caller's last sample. */
const IN_TIME_MS = 1_000;

/** What came of the calls of one case. */
export function findingsOf(
  { group, title, wantsTurn }: Pick<Case, "group" | "title" | "wantsTurn">,
  sttMode: SttMode,
  watched: readonly ObservedTrial[],
): CaseResult {
  const unwanted = watched.map(({ trial }) => falseStops(trial, wantsTurn));
  const pauses = unwanted.flatMap((stops) => stops.filter(({ kind }) => kind === "paused"));
  const whole = wantsTurn ? [] : watched.filter(({ trial }) => trial.stops.every(({ kind }) => kind === "paused"));
  return {
    group,
    title,
    sttMode,
    wantsTurn,
    calls: watched.length,
    agentMs: sum(watched.map(({ trial }) => spokenMs(trial, wantsTurn))),
    falselyPaused: unwanted.filter((stops) => stops.some(({ kind }) => kind === "paused")).length,
    falselyInterrupted: unwanted.filter((stops) => stops.some(({ kind }) => kind === "interrupted")).length,
    falsePauses: pauses.length,
    falsePauseMs: figuresOf(pauses.map(({ atMs, resumedMs }) => resumedMs - atMs)),
    agentWords: sum(whole.map(({ greeting }) => wordsOf(greeting).length)),
    agentWordsLost: sum(whole.map(({ greeting, trial }) => wordsMissing(wordsOf(greeting), trial.heard))),
    ...(wantsTurn ? { interruption: interruptionOf(watched) } : {}),
  };
}

/** What was done to the agent although the caller did not want the turn, or not yet. */
const falseStops = ({ stops, onsetMs }: Trial, wantsTurn: boolean): Stop[] =>
  wantsTurn ? stops.filter(({ atMs }) => atMs < onsetMs) : stops;

const spokenMs = ({ beganMs, overMs, onsetMs }: Trial, wantsTurn: boolean): number =>
  (wantsTurn ? Math.min(overMs, onsetMs) : overMs) - beganMs;

function interruptionOf(watched: readonly ObservedTrial[]): Interruption {
  const calls = watched.filter(({ trial }) => isFree(trial));
  const stops = calls.map(({ trial }) => ({ trial, first: firstStop(trial), interruption: firstInterruption(trial) }));
  const stopped = stops.flatMap(({ trial, first }) => (first === undefined ? [] : [{ trial, first }]));
  // After two pauses only words stop the agent, however early the detector knew.
  const paused = stopped.filter(({ first }) => first.kind === "paused");
  const interruptedMs = stops.flatMap(({ trial, interruption }) =>
    interruption === undefined ? [] : [interruption.atMs - trial.onsetMs],
  );
  return {
    calls: calls.length,
    stopped: stopped.length,
    interrupted: interruptedMs.length,
    toLastSentMs: figuresOf(stopped.map(({ trial, first }) => first.lastSentMs - trial.onsetMs)),
    toSilenceMs: figuresOf(stopped.map(({ trial, first }) => silenceMs(trial, first) - trial.onsetMs)),
    toInterruptionMs: figuresOf(interruptedMs),
    fromOnsetToLastSentMs: figuresOf(paused.map(({ trial, first }) => first.lastSentMs - speechMs(trial, first))),
    callerWords: sum(watched.map(({ said }) => wordsOf(said).length)),
    callerWordsLost: sum(watched.map(({ said, trial }) => wordsMissing(wordsOf(said), wordsOf(trial.understood)))),
    answerMs: figuresOf(watched.map(({ trial }) => trial.answeredMs - trial.endMs)),
  };
}

/** The agent speaks when the caller begins. */
const isFree = ({ stops, onsetMs, overMs }: Trial): boolean =>
  overMs > onsetMs &&
  stops.every(({ kind, atMs, resumedMs }) => atMs >= onsetMs || (kind === "paused" && resumedMs < onsetMs));

const isInTime = ({ onsetMs, endMs }: Trial, { atMs }: Stop): boolean => atMs >= onsetMs && atMs <= endMs + IN_TIME_MS;

const firstStop = (trial: Trial): Stop | undefined => trial.stops.find((stop) => isInTime(trial, stop));
const firstInterruption = (trial: Trial): Stop | undefined =>
  trial.stops.find((stop) => stop.kind === "interrupted" && isInTime(trial, stop));

const silenceMs = (trial: Trial, { lastSentMs }: Stop): number =>
  trial.silenceMs.find((atMs) => atMs >= lastSentMs) ?? Number.NaN;

/** When the speech began that led to `stop`; NaN where it had begun before the caller did. */
const speechMs = (trial: Trial, stop: Stop): number =>
  trial.speechMs.findLast((atMs) => atMs >= trial.onsetMs && atMs <= stop.atMs) ?? Number.NaN;

/** Those that are no numbers are left out. */
export function figuresOf(values: readonly number[]): Figures {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), max: at(1) };
}

const wordsOf = (text: string): string[] => text.split(" ").filter((word) => word !== "");

/** How many of `said` are not among `heard`, in their order. */
export function wordsMissing(said: readonly string[], heard: readonly string[]): number {
  // The longest common subsequence: one row of its table at a time.
  let row = new Array<number>(heard.length + 1).fill(0);
  for (const word of said) {
    const next = [0];
    for (const [at, other] of heard.entries()) {
      const same = word === other ? (row[at] as number) + 1 : 0;
      next.push(Math.max(same, row[at + 1] as number, next[at] as number));
    }
    row = next;
  }
  return said.length - (row[heard.length] as number);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
