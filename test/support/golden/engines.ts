import type { Clock } from "../../../src/core/clock.ts";
import { elapsedMs, monotonicMs } from "../../../src/core/clocks.ts";
import { providerFailed } from "../../../src/core/errors.ts";
import type { Llm, Stt, SttEvent } from "../../../src/speech/contracts.ts";
import { FallbackLlm } from "../../../src/speech/llm/fallback.ts";
import { llmMetering, meteredStt, ttsMetering } from "../../../src/speech/metering/usage.ts";
import { FallbackStt } from "../../../src/speech/stt/fallback.ts";
import { TtsCache } from "../../../src/speech/tts/cache.ts";
import { FallbackTts } from "../../../src/speech/tts/fallback.ts";
import { aborted, sleep } from "../manual-clock.ts";
import { breakerFor, ttsWithBreaker } from "../providers/breakers.ts";
import { type LlmStep, ScriptedLlm } from "../providers/scripted-llm.ts";
import { ScriptedTts, type ScriptedTtsOptions } from "../providers/scripted-tts.ts";
import { poolOf } from "../providers/tts-pool.ts";

/** How long a character of the agent's speech sounds. */
const MS_PER_CHAR = 60;

/** What an STT provider recognizes, and when, ms of call time. */
export interface TranscriptStep {
  atMs: number;
  event: SttEvent | { kind: "fail" };
}

/** What the providers of a call do, in the order in which they are asked. */
export interface ProviderScripts {
  stt: TranscriptStep[][];
  /** Replies of each LLM provider, the last again and again. */
  llm: LlmStep[][][];
  tts: ScriptedTtsOptions[];
  sttHasPartials: boolean;
  /** The first provider of each kind stream limit reached. */
  firstAreFull: boolean;
}

/** An STT that says its script at times of the call, whatever was opened when: a stream goes on where the one before it ended. */
class TimedStt implements Stt {
  readonly provider: string;
  readonly capabilities: Stt["capabilities"];
  readonly #clock: Clock;
  readonly #script: TranscriptStep[];

  constructor(provider: string, clock: Clock, script: readonly TranscriptStep[], interimTranscripts: boolean) {
    this.provider = provider;
    this.capabilities = { ratesHz: [8_000, 16_000], interimTranscripts, anyLanguage: true };
    this.#clock = clock;
    this.#script = script.toSorted((one, other) => one.atMs - other.atMs);
  }

  open(_options: object, signal: AbortSignal): ReturnType<Stt["open"]> {
    return { write: () => {}, events: this.#events(signal) };
  }

  async *#events(signal: AbortSignal): AsyncGenerator<SttEvent> {
    for (let [step] = this.#script; step !== undefined; [step] = this.#script) {
      const waitMs = elapsedMs(this.#clock.nowMs(), monotonicMs(step.atMs));
      if (waitMs > 0) await sleep(this.#clock, waitMs, signal);
      if (signal.aborted) return;
      this.#script.shift();
      if (step.event.kind === "fail") throw providerFailed(this.provider, "failed as scripted");
      yield step.event;
    }
    await aborted(signal);
  }
}

/** The engines of one call as a worker has them: metered providers, with fallbacks, retries, deadlines and circuit breakers. */
export function goldenEngines({ stt, llm, tts, sttHasPartials, firstAreFull }: ProviderScripts, clock: Clock) {
  const streamsMax = (index: number): number => (firstAreFull && index === 0 ? 0 : Number.POSITIVE_INFINITY);
  const listening = stt.map((script, index) => {
    const provider = `stt-${index + 1}`;
    return {
      stt: meteredStt(new TimedStt(provider, clock, script, sttHasPartials)),
      circuitBreaker: breakerFor("stt", provider, clock, streamsMax(index)).circuitBreaker,
    };
  });
  const answering = llm.map((replies, index) => {
    const provider = `llm-${index + 1}`;
    const scripted = new ScriptedLlm(clock, replies);
    const named: Llm = { provider, reply: (request, signal) => scripted.reply(request, signal) };
    return {
      llm: named,
      metering: llmMetering(),
      circuitBreaker: breakerFor("llm", provider, clock, streamsMax(index)).circuitBreaker,
    };
  });
  const speaking = tts.map((options, index) => {
    const scripted = new ScriptedTts(clock, { msPerChar: MS_PER_CHAR, ...options });
    const { tts: named, circuitBreaker } = ttsWithBreaker(`tts-${index + 1}`, scripted, clock, streamsMax(index));
    return { tts: named, circuitBreaker, metering: ttsMetering };
  });
  const model = new FallbackLlm(answering, clock);
  const voice = new FallbackTts(speaking, new TtsCache(), clock);
  return {
    stt: new FallbackStt(listening, clock),
    llm: { model_a: model, model_b: model, model_c: model },
    tts: poolOf(voice),
  };
}
