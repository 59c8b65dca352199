import { type ConversationCase, type ConversationOptions, runConversations } from "../conversations/bench.ts";
import type { Exchange } from "../conversations/caller.ts";
import { describeMachine } from "../harness/machine.ts";
import { type Spread, spreadOf } from "../harness/statistics.ts";
import type { Rig } from "../rig/rig.ts";
import { AGENT_SENTENCES } from "../rig/speech.ts";
import { judgeBargeIn } from "./budgets.ts";
import type { BargeInResult } from "./result.ts";

/** STT, LLM and TTS have no part in it: voice activity alone stops the agent. */
const CASE: ConversationCase = { title: "interruptions", delays: { sttMs: 200, llmMs: 0, ttsMs: 0 } };

/** Interruptions in real time, over real sockets. Rejects when a process fails or an answer does not come. */
export async function runBargeInBench(rig: Rig, options: ConversationOptions): Promise<BargeInResult> {
  // The first of each call is no interruption: the agent does not speak yet.
  const talked = { ...options, exchanges: options.exchanges + 1 };
  const answer = AGENT_SENTENCES.join(" ");
  const { exchanges, problems } = await runConversations(rig, talked, { manner: "interrupts", cases: [CASE], answer });
  const figures = figuresOf(exchanges.flat());
  return {
    machine: describeMachine(),
    cores: rig.cores,
    options,
    problems,
    ...figures,
    budgets: judgeBargeIn(figures),
  };
}

/** Of those exchanges that were interruptions. */
export function figuresOf(exchanges: readonly Exchange[]): Pick<BargeInResult, "fromSpeechMs" | "fromDetectionMs"> {
  const stopped = exchanges.filter(({ agentStoppedMs }) => Number.isFinite(agentStoppedMs));
  const since = (from: "onsetMs" | "detectedMs"): Spread =>
    spreadOf(Float32Array.from(stopped, (exchange) => exchange.agentStoppedMs - exchange[from]));
  return { fromSpeechMs: since("onsetMs"), fromDetectionMs: since("detectedMs") };
}
