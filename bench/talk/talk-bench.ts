import { CARRIER_FRAME_SAMPLES, FRAME_MS } from "../../src/core/limits.ts";
import { mulawDecode } from "../../src/media/g711.ts";
import { loadVad } from "../../src/media/vad.ts";
import type { Rig } from "../load/rig.ts";
import { type Spread, spreadOf } from "../statistics.ts";
import type { EngineDelays, TalkQuestions } from "./questions.ts";
import { type Exchange, type Manner, talk } from "./talker.ts";

/** One kind of conversation. */
export interface TalkCase {
  title: string;
  delays: EngineDelays;
}

export interface TalkOptions {
  calls: number;
  /** Of each call, in each case. */
  exchanges: number;
}

export interface TalkResult {
  /** All exchanges of each case. */
  exchanges: Exchange[][];
  /** Why they mean nothing; none when they do. */
  problems: string[];
}

/**
 * Has callers talk with agents that always give the same `answer`, in real time and over real sockets, case after case; `calls` at
 * once, in one worker. Rejects when a process fails or a call does.
 */
export async function runTalk(
  rig: Rig,
  { calls, exchanges }: TalkOptions,
  { manner, cases, answer }: { manner: Manner; cases: readonly TalkCase[]; answer: string },
): Promise<TalkResult> {
  const makeVad = await loadVad();
  const worker = await rig.startServer<TalkQuestions>("../talk/worker");
  await worker.ask("prepare", { speech: rig.speech.agent, answer });
  const samples = samplesOf(rig.speech.fullCaller.frames);
  const seen: Exchange[][] = [];
  const lateMs: number[] = [];
  for (const { title, delays } of cases) {
    let count = 0;
    const onExchange = (): void => {
      count += 1;
      if (count % calls === 0) rig.progress.tell(`${title}: ${count} of ${calls * exchanges}`);
    };
    const urls = await worker.ask("begin", { calls, delays });
    const one = (url: string) => talk({ url, manner, makeVad, samples, exchanges, random: Math.random, onExchange });
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
