import type { CallEvent } from "../../src/call/events.ts";
import { callMs, millisecondsOf } from "../../src/core/clocks.ts";
import type { TurnId } from "../../src/core/ids.ts";
import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ, FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { PlaybackClock } from "../../src/media/playback-clock.ts";
import { PlaybackBuffer } from "../../src/simulator/peers/playback-buffer.ts";

/** 20 ms of speech, with the words whose last sample is in it. */
export interface SpeechFrame {
  turnId: TurnId;
  words: readonly string[];
}

/** Speech that the caller heard, ms of call time. */
interface HeardFrame extends SpeechFrame {
  startMs: number;
  endMs: number;
}

/** The far end of a call in virtual time. It takes what the call sends, plays it, and returns the peer's messages. */
export interface FarEnd {
  /** All that the caller has begun to hear, in order: what has begun is heard to its end. */
  readonly heard: readonly HeardFrame[];
  /** When something happens there or comes back though nothing is sent, ms; Infinity for never. */
  readonly nextMs: number;
  frame(frame: SpeechFrame, nowMs: number): void;
  mark(name: string, nowMs: number): void;
  clear(nowMs: number): void;
  /** Lets happen what is due by `nowMs`, and returns what has come back by then. */
  run(nowMs: number): CallEvent[];
}

/** A far end without a network: it plays what it is given at once, and a mark returns as soon as it is reached. */
export class ImmediateFarEnd implements FarEnd {
  readonly heard: HeardFrame[] = [];
  readonly #returnsMarks: boolean;
  readonly #playback = new PlaybackClock(CARRIER_RATE_HZ);
  /** Played at `atMs`, unless a clear comes before. */
  #playing: { atMs: number; frame?: HeardFrame; mark?: string }[] = [];
  #flushed: { atMs: number; mark: string }[] = [];

  constructor(returnsMarks: boolean) {
    this.#returnsMarks = returnsMarks;
  }

  get nextMs(): number {
    return Math.ceil(
      Math.min(this.#playing[0]?.atMs ?? Number.POSITIVE_INFINITY, this.#flushed[0]?.atMs ?? Number.POSITIVE_INFINITY),
    );
  }

  frame(frame: SpeechFrame, nowMs: number): void {
    const startMs = millisecondsOf(this.#playback.sent(CARRIER_FRAME_SAMPLES, callMs(nowMs)));
    const endMs = startMs + FRAME_MS;
    this.#playing.push({ atMs: endMs, frame: { ...frame, startMs, endMs } });
  }

  mark(name: string, nowMs: number): void {
    this.#playing.push({ atMs: nowMs + this.#playback.unplayedMs(callMs(nowMs)), mark: name });
  }

  clear(nowMs: number): void {
    this.#playback.flush(callMs(nowMs));
    // After a clear the carrier returns every mark that was out, played or not.
    for (const { mark } of this.#playing) if (mark !== undefined) this.#flushed.push({ atMs: nowMs + 1, mark });
    this.#playing = [];
  }

  run(nowMs: number): CallEvent[] {
    const marks: string[] = [];
    while (this.#playing[0] !== undefined && this.#playing[0].atMs <= nowMs) {
      const { frame, mark } = this.#playing.shift() ?? {};
      if (frame !== undefined) this.heard.push(frame);
      if (mark !== undefined) marks.push(mark);
    }
    while (this.#flushed[0] !== undefined && this.#flushed[0].atMs <= nowMs) {
      marks.push(this.#flushed.shift()?.mark ?? "");
    }
    return this.#returnsMarks ? marks.map((name) => ({ kind: "mark", name })) : [];
  }
}

/** What becomes of a mark when it is not simply reached: by carrier a and b, by carrier c and the raw WebSocket, by platforms that err. */
export type MarkBehavior = "returned by a clear" | "retired by a clear" | "returned at once";

interface RemoteFarEndOptions {
  marks: MarkBehavior;
  /** How long the next message is on its way, each way, ms; none overtakes another. */
  outMs(): number;
  backMs(): number;
  /** Whether the next mark that comes back is lost. */
  losesMark(): boolean;
  /** It answers a clear, and tells how much it had played. */
  answersClear: boolean;
  /** When its 20 ms begin, ms. */
  phaseMs: number;
  /** How long it gathers audio before it plays what comes after a silence, ms; 0 by default. */
  holdMs?: number;
}

type Message = { kind: "audio"; bytes: Uint8Array } | { kind: "mark"; name: string } | { kind: "clear" };

const SILENCE = 0xff;
const BUFFER_BYTES = CARRIER_FRAME_SAMPLES * 60 * 50;

/** A far end across a network, with the playback buffer of the simulated carriers: that knows exactly what was played. */
export class RemoteFarEnd implements FarEnd {
  readonly heard: HeardFrame[] = [];
  readonly #options: RemoteFarEndOptions;
  readonly #buffer = new PlaybackBuffer(SILENCE, BUFFER_BYTES);
  /** All frames that were sent; the bytes that travel hold their place here. */
  readonly #frames: SpeechFrame[] = [];
  readonly #sounding = new Uint8Array(CARRIER_FRAME_SAMPLES);
  #out: { atMs: number; message: Message }[] = [];
  #back: { atMs: number; event: CallEvent }[] = [];
  #outUntilMs = 0;
  #backUntilMs = 0;
  #beatMs: number;
  #playsFromMs = 0;

  constructor(options: RemoteFarEndOptions) {
    this.#options = options;
    this.#beatMs = options.phaseMs;
  }

  get nextMs(): number {
    return Math.min(
      this.#beatMs,
      this.#out[0]?.atMs ?? Number.POSITIVE_INFINITY,
      this.#back[0]?.atMs ?? Number.POSITIVE_INFINITY,
    );
  }

  frame(frame: SpeechFrame, nowMs: number): void {
    const bytes = new Uint8Array(CARRIER_FRAME_SAMPLES);
    new DataView(bytes.buffer).setUint32(0, this.#frames.length);
    this.#frames.push(frame);
    this.#send({ kind: "audio", bytes }, nowMs);
  }

  mark(name: string, nowMs: number): void {
    this.#send({ kind: "mark", name }, nowMs);
  }

  clear(nowMs: number): void {
    this.#send({ kind: "clear" }, nowMs);
  }

  run(nowMs: number): CallEvent[] {
    for (let atMs = this.#dueMs(); atMs <= nowMs; atMs = this.#dueMs()) {
      if (this.#out[0]?.atMs === atMs) this.#take(this.#out.shift()?.message, atMs);
      else this.#beat(atMs);
    }
    const arrived = this.#back.filter(({ atMs }) => atMs <= nowMs);
    this.#back = this.#back.slice(arrived.length);
    return arrived.map(({ event }) => event);
  }

  #dueMs(): number {
    return Math.min(this.#beatMs, this.#out[0]?.atMs ?? Number.POSITIVE_INFINITY);
  }

  #send(message: Message, nowMs: number): void {
    this.#outUntilMs = Math.max(this.#outUntilMs, nowMs + this.#options.outMs());
    this.#out.push({ atMs: this.#outUntilMs, message });
  }

  #answer(event: CallEvent, atMs: number): void {
    this.#backUntilMs = Math.max(this.#backUntilMs, atMs + this.#options.backMs());
    this.#back.push({ atMs: this.#backUntilMs, event });
  }

  #take(message: Message | undefined, atMs: number): void {
    switch (message?.kind) {
      case "audio":
        if (this.#buffer.bufferedBytes === 0) this.#playsFromMs = atMs + (this.#options.holdMs ?? 0);
        this.#buffer.push(message.bytes);
        return;
      case "mark":
        if (this.#options.marks === "returned at once") this.#returnMarks([message.name], atMs);
        else {
          this.#buffer.mark(message.name);
          this.#returnMarks(this.#buffer.takeReachedMarks(), atMs);
        }
        return;
      case "clear": {
        const waiting = this.#buffer.clear();
        if (this.#options.marks === "returned by a clear") this.#returnMarks(waiting, atMs);
        const playedMs = (this.#buffer.playedBytes * 1_000) / CARRIER_RATE_HZ;
        if (this.#options.answersClear) this.#answer({ kind: "cleared", playedMs }, atMs);
        return;
      }
    }
  }

  #beat(atMs: number): void {
    this.#beatMs += FRAME_MS;
    this.#buffer.endFrame();
    this.#returnMarks(this.#buffer.takeReachedMarks(), atMs);
    if (atMs < this.#playsFromMs || this.#buffer.beginFrame(this.#sounding) === 0) return;
    const frame = this.#frames[new DataView(this.#sounding.buffer).getUint32(0)];
    if (frame !== undefined) this.heard.push({ ...frame, startMs: atMs, endMs: atMs + FRAME_MS });
  }

  #returnMarks(names: readonly string[], atMs: number): void {
    for (const name of names) if (!this.#options.losesMark()) this.#answer({ kind: "mark", name }, atMs);
  }
}
