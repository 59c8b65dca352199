import { CARRIER_FRAME_SAMPLES, FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { mulawDecode } from "../../src/media/g711.ts";
import { loadFvadDetection } from "../../src/media/voice-activity/fvad.ts";
import { type Spread, spreadOf } from "../harness/statistics.ts";
import type { Rig } from "../rig/rig.ts";
import { type CallerBehavior, type Exchange, talk } from "./caller.ts";
import type { ProviderDelays, TalkQuestions } from "./protocol.ts";

/** One kind of conversation. */
export interface ConversationCase {
  title: string;
  delays: ProviderDelays;
}

export interface ConversationOptions {
  calls: number;
  /** Of each call, in each case. */
  exchanges: number;
}

export interface ConversationResult {
  /** All exchanges of each case. */
  exchanges: Exchange[][];
  /** Why they mean nothing; none when they do. */
  problems: string[];
}

/**
 * Has callers talk with agents that always give the same `answer`, in real time and over real sockets, case after case; `calls` at
 * once, in one worker. Rejects when a process fails or a call does.
 */
export async function runConversations(
  rig: Rig,
  { calls, exchanges }: ConversationOptions,
  { manner: behavior, cases, answer }: { manner: CallerBehavior; cases: readonly ConversationCase[]; answer: string },
): Promise<ConversationResult> {
  const voiceActivity = await loadFvadDetection();
  const worker = await rig.startServer<TalkQuestions>("../conversations/worker");
  await worker.ask("prepare", { speech: rig.speech.agent, answer });
  const samples = samplesOf(rig.speech.fullCaller.frames);
  const seen: Exchange[][] = [];
  const lateMs: number[] = [];
  for (const { title, delays } of cases) {
    let count = 0;
    const onExchange = (): void => {
      count += 1;
      if (count % calls === 0) rig.progress.print(`${title}: ${count} of ${calls * exchanges}`);
    };
    const urls = await worker.ask("begin", { calls, delays });
    const one = (url: string) =>
      talk({ url, behavior, voiceActivity, samples, exchanges, random: Math.random, onExchange });
    const all = await Promise.all(urls.map(one));
    await worker.ask("finish", undefined);
    seen.push(all.flatMap((talked) => talked.exchanges));
    for (const talked of all) lateMs.push(...talked.lateMs);
  }
  return { exchanges: seen, problems: lateCallers(spreadOf(Float32Array.from(lateMs))) };
}

/** A caller that is later than a frame pauses where there is no pause. */
const LATE_P99_MS_MAX = FRAME_MS;

function lateCallers({ p99 }: Spread): string[] {
  if (p99 <= LATE_P99_MS_MAX) return [];
  return [`the callers themselves were late: p99 ${p99.toFixed(1)} ms. They need a quieter machine, or fewer calls`];
}

function samplesOf(frames: readonly Uint8Array[]): Int16Array {
  const samples = new Int16Array(frames.length * CARRIER_FRAME_SAMPLES);
  for (const [n, frame] of frames.entries()) {
    mulawDecode(frame, samples.subarray(n * CARRIER_FRAME_SAMPLES, (n + 1) * CARRIER_FRAME_SAMPLES));
  }
  return samples;
}
