import { DEFAULT_TURN_PARAMETERS } from "../../src/call/parameters.ts";
import { type ConversationCase, type ConversationOptions, runConversations } from "../conversations/bench.ts";
import type { Exchange } from "../conversations/caller.ts";
import { describeMachine } from "../harness/machine.ts";
import { spreadOf } from "../harness/statistics.ts";
import { type Verdict, verdictOf } from "../harness/verdict.ts";
import type { Rig } from "../rig/rig.ts";
import { SHORT_ANSWER } from "../rig/speech.ts";
import type { TurnCase, TurnResult } from "./result.ts";

const OVERHEAD_P95_MS_MAX = 30;

/** After both, the endpoint waits for nothing; before them, only for time. */
const CASES: readonly ConversationCase[] = [
  { title: "a fast STT: the endpoint decides", delays: { sttMs: 100, llmMs: 150, ttsMs: 100 } },
  { title: "a slow STT: its final transcript decides", delays: { sttMs: 900, llmMs: 150, ttsMs: 100 } },
];

/** Turns in real time, through engines of known delay. Rejects when a process fails or an answer does not come. */
export async function runTurnBench(rig: Rig, options: ConversationOptions): Promise<TurnResult> {
  const { exchanges, problems } = await runConversations(rig, options, {
    manner: "asks",
    cases: CASES,
    answer: SHORT_ANSWER,
  });
  const cases = CASES.map((one, at) => caseOf(one, exchanges[at] ?? []));
  return { machine: describeMachine(), cores: rig.cores, options, problems, cases, budgets: [judgeTurns(cases)] };
}

/** What is left of the latency of `exchanges` when the engines and the endpoint have had theirs. */
export function caseOf({ title, delays }: ConversationCase, exchanges: readonly Exchange[]): TurnCase {
  const { sttMs, llmMs, ttsMs } = delays;
  const expectedMs = Math.max(sttMs, DEFAULT_TURN_PARAMETERS.endpointMs) + llmMs + ttsMs;
  const tookMs = exchanges.map(({ lastSpeechMs, answeredMs }) => answeredMs - lastSpeechMs);
  return {
    title,
    delays,
    expectedMs,
    voiceToVoiceMs: spreadOf(Float32Array.from(tookMs)),
    overheadMs: spreadOf(Float32Array.from(tookMs, (ms) => ms - expectedMs)),
  };
}

/** By the worse of the cases. */
export function judgeTurns(cases: readonly TurnCase[]): Verdict {
  const p95Ms = Math.max(...cases.map(({ overheadMs }) => overheadMs.p95));
  return {
    budget: `our own share of voice-to-voice latency, engines and endpoint subtracted: p95 at most ${OVERHEAD_P95_MS_MAX} ms`,
    measured: `p95 ${p95Ms.toFixed(1)} ms`,
    verdict: verdictOf(p95Ms <= OVERHEAD_P95_MS_MAX),
  };
}
