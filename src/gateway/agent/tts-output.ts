import type { CallEvent } from "../../call/events.ts";
import type { SpeakReason } from "../../core/calls/reasons.ts";
import { type CallMs, elapsedMs } from "../../core/clocks.ts";
import { codeOf } from "../../core/errors.ts";
import type { TurnId } from "../../core/ids.ts";
import { FRAME_MS, OUTPUT_CUSHION_FRAMES, OUTPUT_RING_FRAMES_MAX } from "../../core/limits/streams/media.ts";
import { type FrameCodec, FrameEncoder } from "../../media/frame-codec.ts";
import { FrameRing, type RingFrame } from "../../media/frame-ring.ts";
import type { Resampler, ResamplerFactory } from "../../media/resampler.ts";
import type { CallTts, ProviderObserver, TtsChunk } from "../../speech/contracts.ts";

/** The voice that speaks a segment, and its language. */
export interface SelectedVoice {
  voiceId: string;
  language: string;
}

export interface TtsOutputOptions extends SelectedVoice {
  tts: CallTts;
  /** The leg's rate, Hz. */
  rateHz: number;
  /** The codec of the leg's frames. */
  codec: FrameCodec;
  makeResampler: ResamplerFactory;
  /** How much that was sent can be sent again, ms; 0 where the call cannot go on with another leg. */
  rewindMsMax: number;
  /** Takes `segment-audio` and `segment-end`. */
  deliver: (event: CallEvent) => void;
  /** The TTS failed on a segment; `event` reports that to the call. */
  onError: (error: unknown, event: Extract<CallEvent, { kind: "segment-failed" }>) => void;
  /** The first audio of a segment has arrived: how long that took. */
  onFirstAudio: (tookMs: number) => void;
  /** Call time. */
  nowMs: () => CallMs;
  /** Audio is ready to be sent after the output was empty, so the next tick need not be waited for. */
  onReady: () => void;
  /** Observes the TTS providers. */
  observer?: ProviderObserver;
  /** Observes the TTS providers for service phrases, in place of `observer`. */
  ownPhraseObserver?: ProviderObserver;
}

interface SegmentRequest {
  turnId: TurnId;
  segment: number;
  text: string;
  isOwnPhrase: boolean;
  voice: SelectedVoice | Promise<SelectedVoice>;
}

/**
 * Turns the segments of a reply into frames at the leg's rate, one segment after the other, at most a few seconds ahead
 * of the ticker. When the ring is full, synthesis is not pulled any further.
 */
export class TtsOutput {
  readonly #options: TtsOutputOptions;
  readonly #ring: FrameRing;
  #voice: SelectedVoice | Promise<SelectedVoice>;
  /** The frame being filled. Frames are encoded in the ring: that halves the memory, and many are encoded in a row. */
  readonly #frame: FrameEncoder;
  #filled = 0;
  #segmentSamples = 0;
  #queue: SegmentRequest[] = [];
  #abortController = new AbortController();
  #running = false;
  /** Frames are being sent: the cushion has been filled since the ring was last empty. */
  #flowing = false;
  #underruns = 0;
  #resolveRoom: (() => void) | undefined;
  #resampler: { rateHz: number; resampler: Resampler } | undefined;

  constructor(options: TtsOutputOptions) {
    this.#options = options;
    this.#voice = { voiceId: options.voiceId, language: options.language };
    this.#frame = new FrameEncoder(options.codec, (options.rateHz / 1_000) * FRAME_MS);
    const pastFrames = Math.ceil(options.rewindMsMax / FRAME_MS);
    this.#ring = new FrameRing(OUTPUT_RING_FRAMES_MAX, this.#frame.byteLength, pastFrames);
  }

  /** Queues a segment for synthesis; `reason` is set for service phrases and greetings. */
  speak(turnId: TurnId, segment: number, text: string, reason?: SpeakReason): void {
    const isOwnPhrase = reason !== undefined && reason !== "greeting";
    this.#queue.push({ turnId, segment, text, isOwnPhrase, voice: this.#voice });
    if (!this.#running) void this.#run(this.#abortController.signal);
  }

  /** Later segments use `voice`, which must not reject; queued segments keep theirs. */
  setVoice(voice: Promise<SelectedVoice>): void {
    this.#voice = voice;
  }

  /** How many underruns there were: audio ran out in the middle of a reply. */
  get underruns(): number {
    return this.#underruns;
  }

  /** Frames are being sent, and the next one is ready. */
  get hasNextFrame(): boolean {
    return this.#flowing && this.#ring.count > 0;
  }

  /** The next frame to be sent, borrowed until the ring is filled again; undefined when none is ready. */
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

  /** The last `samples` samples that were sent, whole frames, are to be sent again. */
  rewind(samples: number): void {
    this.#ring.rewind(samples / this.#frame.samples.length);
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
        await this.#synthesize(next, signal);
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
    // Less than a cushion is left, and no more audio will come: it is ready now.
    if (!this.#flowing && this.#ring.count > 0) this.#options.onReady();
  }

  async #synthesize({ turnId, segment, text, isOwnPhrase, voice }: SegmentRequest, signal: AbortSignal): Promise<void> {
    const { tts, rateHz, deliver, nowMs, onFirstAudio } = this.#options;
    const observer = isOwnPhrase ? this.#options.ownPhraseObserver : this.#options.observer;
    const { voiceId, language } = await voice;
    if (signal.aborted) return;
    this.#segmentSamples = 0;
    const startedMs = nowMs();
    let hasBegun = false;
    for await (const chunk of tts.speak({ text, voiceId, language, rateHz }, signal, observer)) {
      if (!hasBegun) onFirstAudio(elapsedMs(startedMs, nowMs()));
      hasBegun = true;
      if (signal.aborted) return;
      // The call must know a word before a frame with it can be sent.
      deliver({ kind: "segment-audio", turnId, segment, samples: this.#segmentSamples, words: chunk.words });
      // Delivering the event may have ended the reply, and the call with it.
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
    // A view that the next call overwrites. Waiting for room in the ring happens between calls, never within one.
    return this.#resampler.resampler.process(samples);
  }

  async #push(samples: Int16Array, turnId: TurnId, signal: AbortSignal): Promise<void> {
    const frame = this.#frame.samples;
    for (let at = 0; at < samples.length && !signal.aborted; ) {
      const taken = Math.min(frame.length - this.#filled, samples.length - at);
      for (let i = 0; i < taken; i += 1) frame[this.#filled + i] = samples[at + i] as number;
      this.#filled += taken;
      at += taken;
      // Waits only when the ring is full: a promise for every frame would be the largest source of garbage on the frame
      // path.
      if (this.#filled === frame.length && !this.#pushFrame(turnId)) await this.#pushWhenRoom(turnId, signal);
    }
  }

  /** Moves the filled frame into the ring; false when the ring is full. */
  #pushFrame(turnId: TurnId): boolean {
    if (this.#ring.isFull) return false;
    this.#ring.push(this.#frame.encode(), turnId);
    this.#filled = 0;
    this.#segmentSamples += this.#frame.samples.length;
    if (!this.#flowing && this.#ring.count === OUTPUT_CUSHION_FRAMES) this.#options.onReady();
    return true;
  }

  async #pushWhenRoom(turnId: TurnId, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#pushFrame(turnId)) {
      await new Promise<void>((resolve) => {
        this.#resolveRoom = resolve;
      });
    }
  }
}
