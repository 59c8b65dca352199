import { strict as assert } from "node:assert";
import { type CallMs, elapsedMs, type MediaMs, mediaMs } from "../../core/clocks.ts";
import { BACKLOG_MS_MAX } from "../../core/limits/streams/caller-audio.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { BUS_RATE_HZ_MAX, busRateHz } from "../../media/bus-rate.ts";
import type { FrameCodec } from "../../media/frame-codec.ts";
import { Framer, type FramerInput } from "../../media/framer.ts";
import { G711_LAWS } from "../../media/g711.ts";
import { JitterBuffer } from "../../media/jitter-buffer.ts";
import type { Resampler, ResamplerFactory } from "../../media/resampler.ts";
import { UnsentSilence } from "../../media/unsent-silence.ts";
import type { InboundAudio, Wire } from "../../wire/wire.ts";
import type { CallCounters } from "../metrics/call-counters.ts";
import { TokenBucket } from "../rate-limits/token-bucket.ts";
import { InboundPacing } from "./inbound-pacing.ts";
import { StaleAudioDetector } from "./stale-audio.ts";

const NO_BYTES = new Uint8Array(0);
/** A frame of silence at the highest rate of the bus; never written. */
const SILENCE = new Int16Array((BUS_RATE_HZ_MAX / 1_000) * FRAME_MS);

/** A frame of the caller's audio, borrowed: valid until the function that was given it returns. */
export interface CallerFrame {
  readonly samples: Int16Array;
  /** The same audio in the codec of the recording; empty where the peer did not send this silence. */
  readonly bytes: Uint8Array;
  /** Its position on the peer's media timeline, ms. */
  readonly mediaMs: MediaMs;
}

export interface CallerAudioOptions {
  wire: Pick<Wire, "inboundRateHz" | "jitterBuffer" | "hasWallClockTimestamps" | "hasDtx" | "pauseMsMin">;
  /** The codec of the recorded frames. */
  codec: FrameCodec;
  makeResampler: ResamplerFactory;
  /** When the transport opened, or since when the peer may have audio that it could not send. */
  openedMs: CallMs;
  /** When the stream started: its media timeline begins. */
  startMs: CallMs;
  counters: CallCounters;
  /**
   * Takes each frame. `silenceFrames` frames of silence precede it that the carrier did not send and the STT must get.
   */
  onFrame: (frame: CallerFrame, silenceFrames: number, nowMs: CallMs) => void;
}

/**
 * The path of the caller's audio from the wire to the frame bus: drops stale audio, reorders, resamples to the bus's
 * rate and cuts it into frames. Times are call time, ms. Allocates nothing per message, except for a view when a
 * message to be resampled has another length than the one before.
 */
export class CallerAudio {
  readonly #framer: Framer;
  readonly #pacing: InboundPacing;
  readonly #jitterBuffer: JitterBuffer | undefined;
  /** Only where the peer's rate differs from the bus's. */
  readonly #resampler: Resampler | undefined;
  readonly #resampled: { bytes: Uint8Array; samples: Int16Array; count: number; timestampMs: MediaMs };
  /** The resampler's last input: messages of equal length reuse the same view. */
  #resamplerInput: Int16Array = new Int16Array(0);
  readonly #staleAudio: StaleAudioDetector | undefined;
  /** Only of codecs with DTX. */
  readonly #unsent: UnsentSilence | undefined;
  /** The frame of silence that `#unsent` finds missing, and its view as input. */
  readonly #unsentFrame: { samples: Int16Array; bytes: Uint8Array; mediaMs: MediaMs };
  readonly #silence: { bytes: Uint8Array; samples: Int16Array; count: number; timestampMs: MediaMs };
  readonly #startMs: CallMs;
  /**
   * Bounds the audio that is dropped before `InboundPacing` can count it, ms: at once as much as the longest backlog,
   * and in the long run no more than real time.
   */
  readonly #dropBudget = new TokenBucket({ atOnce: BACKLOG_MS_MAX, perSecond: 1_000 });
  readonly #sampleMs: number;
  #isDropBudgetExceeded = false;
  readonly #counters: CallCounters;
  readonly #onFrame: CallerAudioOptions["onFrame"];

  constructor({ wire, codec, makeResampler, openedMs, startMs, counters, onFrame }: CallerAudioOptions) {
    const { inboundRateHz, jitterBuffer } = wire;
    const rateHz = busRateHz(inboundRateHz);
    this.#framer = new Framer({
      frameSamples: (rateHz / 1_000) * FRAME_MS,
      rateHz,
      codec,
      startMs,
      lagMsMax: wire.pauseMsMin,
    });
    this.#pacing = new InboundPacing(openedMs, startMs, wire.pauseMsMin);
    if (jitterBuffer !== undefined) {
      assert.ok(codec !== "pcm_s16le", "only G.711 audio can be reordered");
      this.#jitterBuffer = new JitterBuffer({ ...jitterBuffer, law: G711_LAWS[codec], rateHz });
    }
    this.#resampler = inboundRateHz === rateHz ? undefined : makeResampler(inboundRateHz, rateHz);
    this.#resampled = { bytes: NO_BYTES, samples: new Int16Array(0), count: 0, timestampMs: mediaMs(Number.NaN) };
    this.#sampleMs = 1_000 / inboundRateHz;
    this.#staleAudio = wire.hasWallClockTimestamps ? new StaleAudioDetector() : undefined;
    this.#unsent = wire.hasDtx === true ? new UnsentSilence(wire.pauseMsMin) : undefined;
    const samples = SILENCE.subarray(0, (rateHz / 1_000) * FRAME_MS);
    this.#unsentFrame = { samples, bytes: NO_BYTES, mediaMs: mediaMs(0) };
    this.#silence = { samples, bytes: NO_BYTES, count: 0, timestampMs: mediaMs(Number.NaN) };
    this.#startMs = startMs;
    this.#counters = counters;
    this.#onFrame = onFrame;
  }

  /** More audio arrived than real time allows, whether it was used or dropped. */
  get flooded(): boolean {
    return this.#isDropBudgetExceeded || this.#pacing.flooded;
  }

  /** Takes the audio of one message; reads it before returning. */
  push(audio: InboundAudio, nowMs: CallMs): void {
    if (this.#staleAudio?.isStale(audio.timestampMs, nowMs) === true) {
      this.#counters.staleAudio += 1;
      this.#drop(audio, nowMs);
      return;
    }
    if (this.#unsent !== undefined) {
      this.#pushUndated(this.#unsent, audio, nowMs);
      return;
    }
    if (this.#jitterBuffer === undefined) {
      this.#emitFrames(audio, nowMs);
      return;
    }
    const verdict = this.#jitterBuffer.push(audio, nowMs);
    if (verdict === "late") this.#counters.lateAudio += 1;
    else if (verdict === "duplicate") this.#counters.duplicateAudio += 1;
    if (verdict !== "taken") this.#drop(audio, nowMs);
    this.release(nowMs, nowMs);
  }

  /** Stops waiting for audio that should have arrived by `untilMs`; with Infinity nothing waits any longer. */
  release(untilMs: CallMs, nowMs: CallMs): void {
    if (this.#jitterBuffer === undefined) return;
    for (let audio = this.#jitterBuffer.next(untilMs); audio !== undefined; audio = this.#jitterBuffer.next(untilMs)) {
      this.#emitFrames(audio, nowMs);
    }
  }

  /** The last frame was classified as speech, or not. */
  classified(isSpeech: boolean): void {
    this.#unsent?.classified(isSpeech);
  }

  /** Puts the silence on the bus that a peer with DTX did not send. Must be called at each tick. */
  fillPause(nowMs: CallMs): void {
    const unsent = this.#unsent;
    if (unsent === undefined) return;
    const sinceStartMs = elapsedMs(this.#startMs, nowMs);
    unsent.tick(sinceStartMs);
    while (unsent.takeFrame(this.#pacing.slackMs, this.#framer.countedMs, sinceStartMs)) this.#emitSilence(nowMs);
  }

  /** Frames of silence that the STT must get now because the carrier sends nothing; reported once for each pause. */
  silenceFramesDue(nowMs: CallMs): number {
    return this.#pacing.silenceFramesDue(nowMs);
  }

  /** Frees memory; audio that is still buffered is lost. */
  close(): void {
    this.#resampler?.destroy();
  }

  #drop({ count }: InboundAudio, nowMs: CallMs): void {
    if (!this.#dropBudget.take(count * this.#sampleMs, nowMs)) this.#isDropBudgetExceeded = true;
  }

  #emitFrames(audio: FramerInput, nowMs: CallMs): void {
    const framer = this.#framer;
    framer.push(this.#atBusRate(audio), nowMs);
    while (framer.next()) this.#onFrame(framer, this.#pacing.frame(framer.mediaMs, nowMs), nowMs);
  }

  /** Emits the frames of a codec with DTX; its packets have no timestamps. */
  #pushUndated(unsent: UnsentSilence, audio: InboundAudio, nowMs: CallMs): void {
    const packetMs = audio.count * this.#sampleMs;
    const sinceStartMs = elapsedMs(this.#startMs, nowMs);
    audio.timestampMs = unsent.packet(packetMs, audio.isDtx, this.#framer.countedMs, sinceStartMs);
    this.#emitFrames(audio, nowMs);
  }

  /** Completes the frame in progress, if there is one, or else emits a frame of silence that the peer did not send. */
  #emitSilence(nowMs: CallMs): void {
    const framer = this.#framer;
    const silence = this.#silence;
    silence.count = framer.missingSamples;
    if (silence.count < silence.samples.length) {
      this.#emitFrames(silence, nowMs);
      return;
    }
    framer.push(silence, nowMs);
    while (framer.next()) {
      this.#unsentFrame.mediaMs = framer.mediaMs;
      this.#pacing.unsentFrame(framer.mediaMs);
      this.#counters.unsentFrames += 1;
      this.#onFrame(this.#unsentFrame, 0, nowMs);
    }
  }

  #atBusRate(audio: FramerInput): FramerInput {
    if (this.#resampler === undefined) return audio;
    const out = this.#resampled;
    const { samples, count } = audio;
    const input = this.#resamplerInput;
    if (input.buffer !== samples.buffer || input.byteOffset !== samples.byteOffset || input.length !== count)
      this.#resamplerInput = samples.subarray(0, count);
    out.samples = this.#resampler.process(this.#resamplerInput);
    out.count = out.samples.length;
    out.timestampMs = audio.timestampMs;
    return out;
  }
}
