import { randomBytes } from "node:crypto";
import { SimulatedTwilio } from "../../src/carriers/twilio/simulated.ts";
import { systemClock } from "../../src/core/clock.ts";
import { callMs, mediaMs } from "../../src/core/clocks.ts";
import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ, FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { mulawDecode } from "../../src/media/g711.ts";
import type { VoiceActivityDetection, VoiceActivityDetector } from "../../src/media/voice-activity/detector.ts";
import { DEFAULT_SEGMENTATION } from "../../src/media/voice-activity/segmentation.ts";
import { SpeechSegmenter } from "../../src/media/voice-activity/segmenter.ts";
import { encodeSamples, TELEPHONE } from "../../src/simulator/audio/format.ts";
import { connectPeer, type PeerSocket } from "../../src/simulator/peers/peer-socket.ts";
import { machineMonotonicMs } from "../rig/monotonic.ts";
import { lineNoise } from "../rig/speech.ts";

/** What a caller does: asks when the agent is done, or interrupts it. */
export type CallerBehavior = "asks" | "interrupts";

/** A time at which something passed this end of the wire, by `machineMonotonicMs`; NaN where it did not. */
export interface Exchange {
  /** The first sample of the caller's voice was spoken; its frame went out up to 20 ms later. */
  onsetMs: number;
  /** The frame was sent with which speech began, as the service's own detector tells it. */
  detectedMs: number;
  /** The last voiced frame was sent. */
  lastSpeechMs: number;
  /** The last frame of the agent that came before it fell silent; only of a caller who interrupts. */
  agentStoppedMs: number;
  /** The first frame of the answer came. */
  answeredMs: number;
}

export interface TalkerOptions {
  url: string;
  behavior: CallerBehavior;
  voiceActivity: VoiceActivityDetection;
  /** What is said each time: 8,000 Hz, from the first sample to the last. */
  samples: Int16Array;
  /** How often. */
  exchanges: number;
  /** From 0 to 1: callers do not keep in step. */
  random: () => number;
  onExchange(): void;
}

/** With nothing from the agent for so long it is done, or has stopped. */
const SILENT_MS = 100;
const DONE_MS = 400;
/** How long an agent speaks before it is interrupted, ms. */
const INTERRUPT_AFTER_MS = [1_000, 2_500] as const;
/** No answer is later. */
const EXCHANGE_MS_MAX = 15_000;
const QUIET_FRAMES = 100;

export interface CallerExchanges {
  exchanges: Exchange[];
  /** How late each beat of the caller's own was, ms: a caller that is held up sends in bursts, with pauses that are not in its speech. */
  lateMs: number[];
}

/** Places a call and talks until it has had its exchanges. Rejects when the agent does not answer any more, or the call ends. */
export async function talk(options: TalkerOptions): Promise<CallerExchanges> {
  const talker = new Talker(options);
  try {
    const { closed } = await connectPeer(options.url, (socket) => talker.open(socket));
    const lost = closed.then(() => Promise.reject(new Error("a call ended in the middle")));
    await Promise.race([talker.done, lost]);
    const { exchanges, lateMs } = talker;
    return { exchanges, lateMs };
  } finally {
    talker.close();
  }
}

/** A carrier that tells when audio comes. */
class ObservedCarrier extends SimulatedTwilio {
  onAudio = (): void => {};

  override receive(message: string | Uint8Array): void {
    if (typeof message === "string" && message.startsWith('{"event":"media"')) this.onAudio();
    super.receive(message);
  }
}

class Talker {
  readonly #options: TalkerOptions;
  readonly #vad: VoiceActivityDetector;
  readonly #segmenter = new SpeechSegmenter(DEFAULT_SEGMENTATION);
  readonly #quiet = lineNoise(QUIET_FRAMES, TELEPHONE);
  readonly #decoded = new Int16Array(CARRIER_FRAME_SAMPLES);
  readonly exchanges: Exchange[] = [];
  readonly lateMs: number[] = [];
  readonly done: Promise<void>;
  #resolve: () => void = () => {};
  #reject: (error: Error) => void = () => {};
  #peer: SimulatedTwilio | undefined;
  #utterance: readonly Uint8Array[] = [];
  #beat = 0;
  #firstMs = Number.NaN;
  #now: Exchange | undefined;
  /** When the next utterance may begin: not before. */
  #notBeforeMs = 0;
  #agentBeganMs = Number.NaN;
  #agentLastMs = Number.NaN;

  constructor(options: TalkerOptions) {
    this.#options = options;
    this.#vad = options.voiceActivity.open(CARRIER_RATE_HZ);
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // The waiting call may have been notified of the closed connection before.
    this.done.catch(() => {});
  }

  open(socket: PeerSocket): SimulatedTwilio {
    let frame: Uint8Array | undefined;
    const peer = new ObservedCarrier({
      clock: systemClock,
      id: randomBytes(16).toString("hex"),
      close: () => socket.close(),
      microphone: () => {
        frame = this.#speak();
        return frame;
      },
      send: (message) => {
        const atMs = machineMonotonicMs();
        socket.send(message);
        // The message that it was sent with gives its place in the time of the call.
        if (frame !== undefined) this.#sent(frame, atMs);
        frame = undefined;
      },
      earphone: () => {},
    });
    peer.onAudio = () => this.#heard(machineMonotonicMs());
    this.#peer = peer;
    // The detector believes no voice before it has settled; callers begin at different times.
    this.#notBeforeMs = machineMonotonicMs() + 1_000 + 500 * this.#options.random();
    return peer;
  }

  /** The call is over, whatever came of it. */
  close(): void {
    this.#hangUp();
    this.#vad.destroy();
  }

  /** The 20 ms that have just been spoken. */
  #speak(): Uint8Array {
    const nowMs = machineMonotonicMs();
    if (this.#beat === 0) this.#firstMs = nowMs;
    this.lateMs.push(nowMs - this.#firstMs - this.#beat * FRAME_MS);
    this.#beat += 1;
    this.#look(nowMs);
    if (this.#utterance.length === 0 && this.#mayBegin(nowMs)) this.#begin(nowMs);
    const [next, ...rest] = this.#utterance;
    if (next === undefined) {
      const at = (this.#beat % QUIET_FRAMES) * CARRIER_FRAME_SAMPLES;
      return this.#quiet.subarray(at, at + CARRIER_FRAME_SAMPLES);
    }
    this.#utterance = rest;
    return next;
  }

  #mayBegin(nowMs: number): boolean {
    if (this.#now !== undefined || nowMs < this.#notBeforeMs) return false;
    const isDone = !(nowMs < this.#agentLastMs + DONE_MS);
    if (this.exchanges.length === 0 || this.#options.behavior === "asks") return isDone;
    // It has stopped by itself: then there is nothing to interrupt, and it is asked again.
    return isDone || nowMs >= this.#agentBeganMs + this.#interruptAfterMs;
  }

  #interruptAfterMs = 0;

  #begin(nowMs: number): void {
    const { samples, random } = this.#options;
    const [least, most] = INTERRUPT_AFTER_MS;
    this.#interruptAfterMs = least + (most - least) * random();
    // The voice begins at any sample of a frame.
    const offset = Math.floor(random() * CARRIER_FRAME_SAMPLES);
    this.#utterance = framed(samples, offset);
    const isInterrupting = nowMs < this.#agentLastMs + SILENT_MS;
    this.#now = {
      onsetMs: nowMs - FRAME_MS + (offset * 1_000) / CARRIER_RATE_HZ,
      detectedMs: Number.NaN,
      lastSpeechMs: Number.NaN,
      agentStoppedMs: isInterrupting ? Number.NEGATIVE_INFINITY : Number.NaN,
      answeredMs: Number.NaN,
    };
  }

  #sent(frame: Uint8Array, atMs: number): void {
    mulawDecode(frame, this.#decoded);
    const isVoiced = this.#vad.isSpeech(this.#decoded);
    const change = this.#segmenter.frame(isVoiced, mediaMs(this.#beat * FRAME_MS), callMs(atMs));
    if (this.#now === undefined) return;
    if (change === "started" && Number.isNaN(this.#now.detectedMs)) this.#now.detectedMs = atMs;
    if (isVoiced) this.#now.lastSpeechMs = atMs;
  }

  #heard(atMs: number): void {
    const isFirst = !(atMs < this.#agentLastMs + SILENT_MS);
    if (isFirst) this.#agentBeganMs = atMs;
    if (isFirst && this.#now !== undefined && this.#utterance.length === 0) {
      this.#now.answeredMs = atMs;
      this.#over(this.#now);
    }
    this.#agentLastMs = atMs;
  }

  /** What only time tells. */
  #look(nowMs: number): void {
    if (this.#now === undefined) return;
    const isStopping = this.#now.agentStoppedMs === Number.NEGATIVE_INFINITY;
    if (isStopping && nowMs > this.#agentLastMs + SILENT_MS) this.#now.agentStoppedMs = this.#agentLastMs;
    if (nowMs > this.#now.onsetMs + EXCHANGE_MS_MAX) {
      this.#now = undefined;
      this.#reject(new Error("an agent gave no answer"));
      // Not in the middle of a beat.
      queueMicrotask(() => this.#hangUp());
    }
  }

  #over(exchange: Exchange): void {
    this.exchanges.push(exchange);
    this.#now = undefined;
    this.#options.onExchange();
    if (this.exchanges.length < this.#options.exchanges) return;
    this.#hangUp();
    this.#resolve();
  }

  #hangUp(): void {
    this.#peer?.stop();
  }
}

/** Frames of mu-law that begin with `offset` samples of silence. */
function framed(samples: Int16Array, offset: number): Uint8Array[] {
  return Array.from({ length: Math.ceil((offset + samples.length) / CARRIER_FRAME_SAMPLES) }, (_, frame) => {
    const of = new Int16Array(CARRIER_FRAME_SAMPLES);
    for (const n of of.keys()) of[n] = samples[frame * CARRIER_FRAME_SAMPLES + n - offset] ?? 0;
    return encodeSamples(of, TELEPHONE.codec);
  });
}
