import { addMs, type CallMs, elapsedMs } from "../../core/clocks.ts";
import type { CallId } from "../../core/ids.ts";
import { LISTEN_BACKLOG_MS_MAX, LISTEN_MESSAGE_MS } from "../../core/limits/calls/listening.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import type { ListenerEnd } from "../../core/metrics/labels.ts";
import { bytesPerSample, type FrameCodec, pcmBytes } from "../../media/frame-codec.ts";
import { G711_LAWS } from "../../media/g711.ts";
import { recordingRateHz } from "../../media/recording-rate.ts";
import type { Resampler, ResamplerFactory } from "../../media/resampler.ts";
import type { JournaledLeg } from "../../record/journal/records.ts";
import type { Transport, TransportListener } from "../transport/transport.ts";
import { ListenedChannel } from "./channel.ts";
import { Listener } from "./listener.ts";

/** What gets the audio of a call as it passes, and is no input of it. Nothing of it throws; all audio is borrowed. */
export interface CallTap {
  /** A frame of the caller at the rate of the bus. */
  caller(samples: Int16Array): void;
  /** A frame of the agent, in the codec of the leg. */
  agent(bytes: Uint8Array): void;
  /** What the agent sent and the caller has not been played is not played. */
  agentCleared(): void;
  /** Called every FRAME_MS. */
  tick(nowMs: CallMs): void;
  callOver(): void;
}

const CHANNELS = 2;
const FRAMES_PER_MESSAGE = LISTEN_MESSAGE_MS / FRAME_MS;
/** After a longer stall of the event loop the time is left out. */
const STALL_FRAMES_MAX = LISTEN_BACKLOG_MS_MAX / FRAME_MS;

export interface CallListenersOptions {
  callId: CallId;
  format: JournaledLeg;
  makeResampler: ResamplerFactory;
  /** A listener has left, or was sent away. */
  onEnded: (end: ListenerEnd) => void;
  /** The last listener is gone; called after `onEnded`, with the frames of audio that were dropped. */
  onEmpty: (framesDropped: number) => void;
}

/**
 * The listeners of one call. Both sides are mixed once for all of them: stereo, the caller left and the agent right, as in the recording.
 * Allocates nothing in the path of a frame.
 */
export class CallListeners implements CallTap {
  readonly #options: CallListenersOptions;
  readonly #rateHz: number;
  readonly #caller: ListenedChannel;
  readonly #agent: ListenedChannel;
  readonly #callerResampler: Resampler | undefined;
  readonly #agentResampler: Resampler | undefined;
  /** The latest frame of the agent. */
  readonly #decoded: Int16Array;
  readonly #decodedBytes: Uint8Array;
  readonly #message: Int16Array;
  readonly #messageBytes: Uint8Array;
  readonly #listeners = new Set<Listener>();
  #messageFrames = 0;
  /** When the next frame is mixed. */
  #dueMs: CallMs | undefined;

  /** Throws `unavailable` when there is no memory for a resampler. */
  constructor(options: CallListenersOptions) {
    const { format, makeResampler } = options;
    const rateHz = recordingRateHz(format);
    const resampler = (fromHz: number) => (fromHz === rateHz ? undefined : makeResampler(fromHz, rateHz));
    this.#options = options;
    this.#rateHz = rateHz;
    this.#callerResampler = resampler(format.inboundRateHz);
    this.#agentResampler = resampler(format.outboundRateHz);
    this.#caller = new ListenedChannel(rateHz);
    this.#agent = new ListenedChannel(rateHz);
    this.#decoded = new Int16Array((format.outboundRateHz * FRAME_MS) / 1_000);
    this.#decodedBytes = pcmBytes(this.#decoded);
    this.#message = new Int16Array((CHANNELS * rateHz * LISTEN_MESSAGE_MS) / 1_000);
    this.#messageBytes = pcmBytes(this.#message);
  }

  get count(): number {
    return this.#listeners.size;
  }

  /** The audio from now on goes to this connection, after a text that describes it. Never throws. */
  add(transport: Transport): TransportListener {
    const listener: Listener = new Listener(transport, (end) => {
      this.#listeners.delete(listener);
      this.#options.onEnded(end);
      if (this.#listeners.size === 0) this.#close();
    });
    this.#listeners.add(listener);
    const { callId } = this.#options;
    const start = { type: "listening", callId, sampleRate: this.#rateHz, channels: CHANNELS, encoding: "pcm_s16le" };
    listener.send(JSON.stringify(start), false);
    return listener;
  }

  caller(samples: Int16Array): void {
    this.#caller.push(this.#callerResampler?.process(samples) ?? samples);
  }

  agent(bytes: Uint8Array): void {
    const samples = this.#decode(bytes, this.#options.format.outboundCodec);
    this.#agent.push(this.#agentResampler?.process(samples) ?? samples);
  }

  agentCleared(): void {
    this.#agent.clear();
  }

  tick(nowMs: CallMs): void {
    this.#dueMs ??= nowMs;
    if (elapsedMs(this.#dueMs, nowMs) > STALL_FRAMES_MAX * FRAME_MS) this.#dueMs = nowMs;
    while (elapsedMs(this.#dueMs, nowMs) >= 0 && this.#listeners.size > 0) {
      this.#next();
      this.#dueMs = addMs(this.#dueMs, FRAME_MS);
    }
    for (const listener of this.#listeners) listener.check(nowMs);
  }

  /** What is held back is sent at once. */
  callOver(): void {
    while (this.#listeners.size > 0 && !this.#isAllSent) this.#next();
    for (const listener of this.#listeners) listener.end("call_ended");
  }

  get #isAllSent(): boolean {
    return this.#caller.isEmpty && this.#agent.isEmpty && this.#messageFrames === 0;
  }

  /** Mixes the next frame, and sends the message that it completes. */
  #next(): void {
    this.#mix();
    if (this.#messageFrames < FRAMES_PER_MESSAGE) return;
    this.#messageFrames = 0;
    for (const listener of this.#listeners) listener.send(this.#messageBytes, true);
  }

  #mix(): void {
    const samples = (this.#rateHz * FRAME_MS) / 1_000;
    const from = CHANNELS * samples * this.#messageFrames;
    this.#caller.take(samples, this.#message, from);
    this.#agent.take(samples, this.#message, from + 1);
    this.#messageFrames += 1;
  }

  #decode(bytes: Uint8Array, codec: FrameCodec): Int16Array {
    const decoded = this.#decoded;
    const samples = Math.min(decoded.length, bytes.length / bytesPerSample(codec));
    if (codec === "pcm_s16le")
      this.#decodedBytes.set(bytes.length === 2 * samples ? bytes : bytes.subarray(0, 2 * samples));
    else {
      const { decodeTable } = G711_LAWS[codec];
      for (let i = 0; i < samples; i += 1) decoded[i] = decodeTable[bytes[i] as number] as number;
    }
    return samples === decoded.length ? decoded : decoded.subarray(0, samples);
  }

  #close(): void {
    this.#callerResampler?.destroy();
    this.#agentResampler?.destroy();
    const frameSamples = (this.#rateHz * FRAME_MS) / 1_000;
    this.#options.onEmpty(Math.ceil((this.#caller.dropped + this.#agent.dropped) / frameSamples));
  }
}
