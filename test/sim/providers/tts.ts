import { providerFailed } from "../../../src/core/errors.ts";
import type { TimedWord, Tts, TtsChunk, Voice } from "../../../src/speech/contracts.ts";
import { aborted, sleep } from "../../support/manual-clock.ts";
import type { FaultPlan } from "../plan/fault-plan.ts";
import type { Process } from "../process.ts";
import type { OpenStreams, ProviderOptions } from "./open-streams.ts";
import { taggedSamples } from "./tagged-audio.ts";

/** A text that the TTS was requested to speak, and what the caller hears if all of it is sent and played. */
export interface SpokenSegment {
  readonly text: string;
  /** None if the TTS makes no audio of it. */
  readonly words: readonly TimedWord[];
  /** How long it is, in samples of the leg's rate. */
  readonly legSamples: number;
  /** How much audio of it the TTS has emitted, ms. */
  givenMs: number;
}

export interface TtsOptions extends ProviderOptions {
  /** The leg's rate, at which the caller hears it, Hz. */
  legRateHz: number;
  /** A segment starts to be spoken; it is the last one in `spoken`. */
  onSpeak(segment: SpokenSegment): void;
}

/** How one segment comes. */
interface Delivery {
  /** Until the first chunk, ms of the clock. */
  firstMs: number;
  /** How long the next chunk sounds, ms. */
  chunkMs: () => number;
  /** From one chunk to the next, given how long that one sounds, ms of the clock. */
  waitMs: (chunkMs: number) => number;
  ending: "ends" | "hangs" | "fails";
  /** After how many chunks it hangs or fails. */
  endsAfter: number;
}

const RATES_HZ = [8_000, 8_000, 8_000, 8_000, 16_000, 22_050, 24_000];
const ODD_CHUNKS_MS = [0.1, 1, 7.3, 19.9, 20.1, 333, 800];
/** The longest chunk of all. */
export const CHUNK_MS_MAX = Math.max(...ODD_CHUNKS_MS);

/** A TTS whose audio names its segment, and which misbehaves as its seed decides. */
export class SimulatedTts implements Tts {
  readonly provider = "simulated";
  readonly capabilities: Tts["capabilities"];
  /** Everything that it was asked for, in order. */
  readonly spoken: SpokenSegment[] = [];
  readonly #process: Process;
  readonly #fate: FaultPlan;
  readonly #streams: OpenStreams;
  readonly #onSpeak: TtsOptions["onSpeak"];
  readonly #rateHz: number;
  readonly #legRateHz: number;
  /** All words come with the first chunk, rather than each with the chunk in which it begins. */
  readonly #wordsFirst: boolean;
  /** How long a second of audio takes it. */
  readonly #pace: number;
  #isWaiting = false;

  constructor({ process, fate, streams, legRateHz, onSpeak }: TtsOptions) {
    this.#process = process;
    this.#fate = fate;
    this.#streams = streams;
    this.#onSpeak = onSpeak;
    this.#rateHz = fate.random.pick(RATES_HZ);
    this.#legRateHz = legRateHz;
    this.capabilities = { wordTimestamps: fate.random.chance(0.75) };
    if (this.#rateHz !== legRateHz) fate.chronicle.note("tts-other-rate");
    if (!this.capabilities.wordTimestamps) fate.chronicle.note("tts-without-word-times");
    this.#wordsFirst = fate.random.chance(0.5);
    this.#pace = fate.random.between(0, 0.6);
  }

  /** It has given a chunk, and the next one has not been requested yet. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  async voices(): Promise<readonly Voice[]> {
    return [];
  }

  async *speak(request: { text: string }, signal: AbortSignal): AsyncGenerator<TtsChunk> {
    const number = this.spoken.length;
    const words = this.#wordsOf(request.text);
    const samplesWhole = Math.round(((words.at(-1)?.endMs ?? 0) * this.#rateHz) / 1_000);
    const legSamples = Math.ceil((samplesWhole * this.#legRateHz) / this.#rateHz);
    const segment: SpokenSegment = { text: request.text, words, legSamples, givenMs: 0 };
    this.spoken.push(segment);
    this.#onSpeak(segment);
    const ended = this.#streams.begin("tts");
    try {
      const { firstMs, chunkMs, waitMs, ending, endsAfter } = this.#draw();
      if (firstMs > 0) await sleep(this.#process, firstMs, signal);
      for (let at = 0, chunks = 0; at < samplesWhole && chunks < endsAfter; chunks += 1) {
        if (signal.aborted) return;
        const soundsMs = chunkMs();
        const to = Math.min(samplesWhole, at + Math.max(1, Math.round((soundsMs * this.#rateHz) / 1_000)));
        segment.givenMs = (to * 1_000) / this.#rateHz;
        this.#isWaiting = true;
        yield {
          samples: taggedSamples(number, at, to, this.#rateHz),
          rateHz: this.#rateHz,
          words: this.#wordsIn(words, at, to),
        };
        this.#isWaiting = false;
        const pauseMs = waitMs(soundsMs);
        if (pauseMs > 0) await sleep(this.#process, pauseMs, signal);
        at = to;
      }
      if (ending === "hangs") await aborted(signal);
      if (ending === "fails" && !signal.aborted) throw providerFailed(this.provider, "failed as drawn");
    } finally {
      this.#isWaiting = false;
      ended();
    }
  }

  #wordsOf(text: string): TimedWord[] {
    if (this.#fate.occurs("tts-silent", 0.4)) return [];
    let endMs = 0;
    return text.split(" ").map((word) => {
      const startMs = endMs;
      endMs += this.#fate.random.between(80, 450);
      return { text: word, startMs, endMs };
    });
  }

  #wordsIn(words: readonly TimedWord[], from: number, to: number): readonly TimedWord[] {
    if (!this.capabilities.wordTimestamps) return [];
    if (this.#wordsFirst) return from === 0 ? words : [];
    const fromMs = (from * 1_000) / this.#rateHz;
    const toMs = (to * 1_000) / this.#rateHz;
    return words.filter(({ startMs }) => startMs >= fromMs && startMs < toMs);
  }

  #draw(): Delivery {
    const { random } = this.#fate;
    const evenMs = random.between(60, 400);
    const delivery: Delivery = {
      firstMs: random.chance(0.2) ? 0 : random.between(20, 400),
      chunkMs: () => evenMs,
      waitMs: (chunkMs) => chunkMs * this.#pace,
      ending: "ends",
      endsAfter: Number.POSITIVE_INFINITY,
    };
    const breakOff = (ending: Delivery["ending"], endsAfter: number): void => {
      delivery.ending = ending;
      delivery.endsAfter = endsAfter;
    };
    if (this.#fate.occurs("odd-chunks", 0.7)) delivery.chunkMs = () => random.pick(ODD_CHUNKS_MS);
    if (this.#fate.occurs("tts-slow", 0.5)) delivery.waitMs = (chunkMs) => 1.4 * chunkMs;
    if (this.#fate.occurs("tts-bursts", 0.5)) {
      delivery.waitMs = () => (random.chance(0.2) ? random.between(300, 1_500) : 0);
    }
    if (this.#fate.occurs("tts-hangs", 0.5)) breakOff("hangs", random.whole(0, 3));
    if (this.#fate.occurs("tts-fails-midway", 0.4)) breakOff("fails", random.whole(1, 3));
    if (this.#fate.occurs("tts-fails-at-start", 0.4)) breakOff("fails", 0);
    return delivery;
  }
}
