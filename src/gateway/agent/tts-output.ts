import type { CallEvent } from "../../call/events.ts";
import type { SpeakReason } from "../../core/calls/spec.ts";
import { codeOf } from "../../core/errors.ts";
import { FRAME_MS, OUTPUT_CUSHION_FRAMES, OUTPUT_RING_FRAMES_MAX } from "../../core/limits/media.ts";
import { type FrameCodec, FrameEncoder } from "../../media/frame-codec.ts";
import { FrameRing, type RingFrame } from "../../media/frame-ring.ts";
import type { Resampler, ResamplerFactory } from "../../media/resampler.ts";
import type { ProviderObserver, Tts, TtsChunk } from "../../speech/contracts.ts";

/** What a piece is spoken with, and in. */
export interface SelectedVoice {
  voiceId: string;
  language: string;
}

export interface TtsOutputOptions extends SelectedVoice {
  tts: Tts;
  /** The leg's rate, Hz. */
  rateHz: number;
  /** What the leg's frames are in. */
  codec: FrameCodec;
  makeResampler: ResamplerFactory;
  /** Takes `segment-audio` and `segment-end`. */
  deliver: (event: CallEvent) => void;
  /** The voice failed, and why; what the call is to be told of that. */
  onError: (error: unknown, event: Extract<CallEvent, { kind: "segment-failed" }>) => void;
  /** There is speech to be sent again, after there was none: nobody needs to wait for his turn with it. */
  onReady: () => void;
  /** Told of what goes on behind the voice. */
  observer?: ProviderObserver;
  /** The same for what the service says in its own name, in place of `watch`. */
  ownPhraseObserver?: ProviderObserver;
}

interface SegmentRequest {
  turnId: number;
  segment: number;
  text: string;
  isOwnPhrase: boolean;
  voice: SelectedVoice | Promise<SelectedVoice>;
}

/**
 * Turns the pieces of a reply into frames of the leg's rate, one piece after the other, a few seconds ahead of the ticker
 * at most: when the ring is full the synthesis is not pulled any further.
 */
export class TtsOutput {
  readonly #options: TtsOutputOptions;
  readonly #ring: FrameRing;
  #voice: SelectedVoice | Promise<SelectedVoice>;
  /** The frame that is being filled. In the ring it is encoded: that takes half the memory, and many are encoded in a row. */
  readonly #frame: FrameEncoder;
  #filled = 0;
  #segmentSamples = 0;
  #queue: SegmentRequest[] = [];
  #abortController = new AbortController();
  #running = false;
  /** Frames are being sent: the cushion has been there since the ring was last found empty. */
  #flowing = false;
  #underruns = 0;
  #resolveRoom: (() => void) | undefined;
  #resampler: { rateHz: number; resampler: Resampler } | undefined;

  constructor(options: TtsOutputOptions) {
    this.#options = options;
    this.#voice = { voiceId: options.voiceId, language: options.language };
    this.#frame = new FrameEncoder(options.codec, (options.rateHz / 1_000) * FRAME_MS);
    this.#ring = new FrameRing(OUTPUT_RING_FRAMES_MAX, this.#frame.byteLength);
  }

  /** Synthesises a piece behind those before it; `reason` is why the service says it, where it does. */
  speak(turnId: number, segment: number, text: string, reason?: SpeakReason): void {
    const isOwnPhrase = reason !== undefined && reason !== "greeting";
    this.#queue.push({ turnId, segment, text, isOwnPhrase, voice: this.#voice });
    if (!this.#running) void this.#run(this.#abortController.signal);
  }

  /** Pieces from here on are spoken with `voice`, which does not reject; those before keep theirs. */
  setVoice(voice: Promise<SelectedVoice>): void {
    this.#voice = voice;
  }

  /** How often speech ran out in the middle of a reply. */
  get underruns(): number {
    return this.#underruns;
  }

  /** Frames are being sent, and the next one is there. */
  get hasNextFrame(): boolean {
    return this.#flowing && this.#ring.count > 0;
  }

  /** The next frame to be sent, lent until the ring is filled again; undefined when nothing is ready. */
  shift(): RingFrame | undefined {
    if (!this.#flowing) {
      if (this.#running && this.#ring.count < OUTPUT_CUSHION_FRAMES) return undefined;
      this.#flowing = true;
    }
    const frame = this.#ring.shift();
    if (frame === undefined) {
      this.#flowing = false;
      if (this.#running) this.#underruns += 1;
    }
    if (this.#resolveRoom !== undefined && this.#ring.count <= OUTPUT_RING_FRAMES_MAX / 2) this.#wake();
    return frame;
  }

  /** Aborts the synthesis and drops what has not been sent; the next `speak` begins anew. */
  cancel(): void {
    this.#abortController.abort();
    this.#abortController = new AbortController();
    this.#running = false;
    this.#flowing = false;
    this.#queue = [];
    this.#ring.clear();
    this.#filled = 0;
    this.#resampler?.resampler.destroy();
    this.#resampler = undefined;
    this.#wake();
  }

  #wake(): void {
    const room = this.#resolveRoom;
    this.#resolveRoom = undefined;
    room?.();
  }

  async #run(signal: AbortSignal): Promise<void> {
    this.#running = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      try {
        await this.#synthesise(next, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#filled = 0;
        const failure = {
          kind: "segment-failed" as const,
          turnId: next.turnId,
          segment: next.segment,
          code: codeOf(error),
        };
        this.#options.onError(error, failure);
      }
      if (signal.aborted) return;
    }
    this.#running = false;
    // What is less than a cushion waits for no more now.
    if (!this.#flowing && this.#ring.count > 0) this.#options.onReady();
  }

  async #synthesise({ turnId, segment, text, isOwnPhrase, voice }: SegmentRequest, signal: AbortSignal): Promise<void> {
    const { tts, rateHz, deliver } = this.#options;
    const watch = isOwnPhrase ? this.#options.ownPhraseObserver : this.#options.observer;
    const { voiceId, language } = await voice;
    if (signal.aborted) return;
    this.#segmentSamples = 0;
    for await (const chunk of tts.speak({ text, voiceId, language, rateHz }, signal, watch)) {
      if (signal.aborted) return;
      // The call must know a word before a frame of it can be sent.
      deliver({ kind: "segment-audio", turnId, segment, samples: this.#segmentSamples, words: chunk.words });
      // Telling it may have ended the reply, and the call with it.
      if (signal.aborted) return;
      await this.#push(this.#atLegRate(chunk), turnId, signal);
    }
    if (signal.aborted) return;
    await this.#push(this.#resampler?.resampler.flush() ?? new Int16Array(0), turnId, signal);
    if (this.#filled > 0 && !signal.aborted) {
      this.#frame.samples.fill(0, this.#filled);
      await this.#pushWhenRoom(turnId, signal);
    }
    if (!signal.aborted) deliver({ kind: "segment-end", turnId, segment, samples: this.#segmentSamples });
  }

  #atLegRate({ samples, rateHz }: TtsChunk): Int16Array {
    if (rateHz === this.#options.rateHz) return samples;
    if (this.#resampler?.rateHz !== rateHz) {
      this.#resampler?.resampler.destroy();
      this.#resampler = { rateHz, resampler: this.#options.makeResampler(rateHz, this.#options.rateHz) };
    }
    // A view that the next call overwrites, and a full ring makes us wait in between calls, never within one.
    return this.#resampler.resampler.process(samples);
  }

  async #push(samples: Int16Array, turnId: number, signal: AbortSignal): Promise<void> {
    const frame = this.#frame.samples;
    for (let at = 0; at < samples.length && !signal.aborted; ) {
      const taken = Math.min(frame.length - this.#filled, samples.length - at);
      for (let i = 0; i < taken; i += 1) frame[this.#filled + i] = samples[at + i] as number;
      this.#filled += taken;
      at += taken;
      // Only a full ring is waited for: a promise for every frame would be the most garbage that a frame makes.
      if (this.#filled === frame.length && !this.#pushFrame(turnId)) await this.#pushWhenRoom(turnId, signal);
    }
  }

  /** Puts the frame that was filled into the ring; false when there is no room. */
  #pushFrame(turnId: number): boolean {
    if (this.#ring.isFull) return false;
    this.#ring.push(this.#frame.encode(), turnId);
    this.#filled = 0;
    this.#segmentSamples += this.#frame.samples.length;
    if (!this.#flowing && this.#ring.count === OUTPUT_CUSHION_FRAMES) this.#options.onReady();
    return true;
  }

  async #pushWhenRoom(turnId: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#pushFrame(turnId)) {
      await new Promise<void>((resolve) => {
        this.#resolveRoom = resolve;
      });
    }
  }
}
