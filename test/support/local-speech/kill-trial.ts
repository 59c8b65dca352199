import { setTimeout as sleep } from "node:timers/promises";
import { childModule } from "../../../src/core/child-processes/child-module.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { forkSpeechChild, type StartSpeechChild } from "../../../src/speech/local/pool/child.ts";
import { SpeechPool } from "../../../src/speech/local/pool/pool.ts";
import { CircuitBreaker } from "../../../src/speech/resilience/circuit-breaker.ts";
import { FallbackStt } from "../../../src/speech/stt/fallback.ts";
import { createLocalStt } from "../../../src/speech/stt/providers/local/adapter.ts";
import { Random } from "../random.ts";
import { activityOfStream } from "../speech-activity.ts";
import { spoken, spokenText } from "./scripted-child.ts";

const RATE_HZ = 16_000;
const FRAME_SAMPLES = RATE_HZ / 50;
/** A call without its final this long after the last kill is stuck. */
const STUCK_MS = 60_000;
const KILL_INTERVAL_MS = [50, 500] as const;
/** How often a kill waits until all processes are up again: otherwise one may be killed while it loads its model. */
const ALL_UP_SHARE = 0.5;

export interface KillTrialOptions {
  calls: number;
  kills: number;
  processes: number;
  seed: number;
}

/** What became of the calls: the words of `right` are what was said. */
export interface KillTrialResult {
  right: number;
  wrong: number;
  failed: number;
  stuck: number;
  kills: number;
}

/** The program of the children, with a fault or without. */
export const scriptedProgram = (fault?: string): StartSpeechChild =>
  forkSpeechChild({ modelFolder: fault, turnModelPath: undefined }, childModule(import.meta.url, "./scripted-model"));

/** Calls over real child processes, one of which is killed at random again and again while the calls begin one after the other. */
export async function killTrial({ calls, kills, processes, seed }: KillTrialOptions): Promise<KillTrialResult> {
  const random = new Random(seed);
  const alive = new Set<number>();
  const start = scriptedProgram();
  const pool = new SpeechPool({
    processes,
    clock: systemClock,
    start: (events) => {
      const child = start({
        onMessage: events.onMessage,
        onExit(exit, error) {
          if (child.pid !== undefined) alive.delete(child.pid);
          events.onExit(exit, error);
        },
      });
      if (child.pid !== undefined) alive.add(child.pid);
      return child;
    },
  });
  const observer = { registered: () => {}, failed: () => {}, circuitChanged: () => {} };
  const identity = { stage: "stt", provider: "local", streamsMax: Number.POSITIVE_INFINITY } as const;
  const circuitBreaker = new CircuitBreaker({ ...identity, clock: systemClock, observer });
  const local = createLocalStt({ speech: pool, languages: ["en"] });
  const stt = new FallbackStt([{ stt: local, circuitBreaker }], systemClock);
  const result: KillTrialResult = { right: 0, wrong: 0, failed: 0, stuck: 0, kills: 0 };
  const running: Promise<void>[] = [];
  const end = new AbortController();
  const startCallsUntil = (share: number): void => {
    while (running.length < share * calls) {
      const words = 2 + Math.floor(random.next() * 8);
      const call = oneCall(stt, words, end.signal).then((outcome) => {
        result[outcome] += 1;
      });
      running.push(call);
    }
  };
  for (; result.kills < kills; result.kills += 1) {
    startCallsUntil((result.kills + 1) / kills);
    const [min, max] = KILL_INTERVAL_MS;
    await sleep(min + random.next() * (max - min));
    const readyMin = random.next() < ALL_UP_SHARE ? processes : 1;
    while (pool.readings.ready < readyMin) await sleep(20);
    const pids = [...alive];
    const pid = pids[Math.floor(random.next() * pids.length)];
    if (pid !== undefined) process.kill(pid, "SIGKILL");
  }
  const timer = setTimeout(() => end.abort(), STUCK_MS);
  await Promise.all(running);
  clearTimeout(timer);
  pool.close();
  return result;
}

/** One utterance, written as fast as it can be. It is stuck when it has no final until `end`. */
async function oneCall(
  stt: FallbackStt,
  words: number,
  end: AbortSignal,
): Promise<"right" | "wrong" | "failed" | "stuck"> {
  const abortController = new AbortController();
  const signal = AbortSignal.any([end, abortController.signal]);
  const stream = stt.open({ language: "en-US", rateHz: RATE_HZ }, signal);
  const audio = new Int16Array(spoken(words, RATE_HZ).length + RATE_HZ);
  audio.set(spoken(words, RATE_HZ));
  const activityOf = activityOfStream();
  try {
    for (let at = 0; at < audio.length; at += FRAME_SAMPLES) {
      const frame = audio.subarray(at, at + FRAME_SAMPLES);
      stream.write(frame, activityOf(frame.some((sample) => sample !== 0)));
    }
    for await (const { kind, text } of stream.events) {
      if (kind === "final") return text === spokenText(words) ? "right" : "wrong";
    }
    return "stuck";
  } catch {
    return "failed";
  } finally {
    abortController.abort();
  }
}
