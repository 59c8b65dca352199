import { strict as assert } from "node:assert";
import { randomBytes } from "node:crypto";
import { carrierOf } from "../../src/carriers/list.ts";
import type { Clock } from "../../src/core/clock.ts";
import { addMs, type EpochMs, epochMs, type MonotonicMs, monotonicMs } from "../../src/core/clocks.ts";
import { CARRIER_FRAME_SAMPLES } from "../../src/core/limits/streams/media.ts";
import { loadOpus } from "../../src/media/opus/load.ts";
import { frameBytes } from "../../src/simulator/audio/format.ts";
import { formatsOf, type SimulatedWire, simulatePeer } from "../../src/simulator/lines.ts";
import type { SimulatedPeer } from "../../src/simulator/peers/peer.ts";
import { inboundAudio } from "../../test/support/audio/inbound-audio.ts";
import { benchLine } from "../rig/lines.ts";

// What a caller sends, framed and masked as RFC 6455, section 5.2 asks of a client, and made before the first call: while calls
// run, the generator has nothing to do for a frame but to hand it to the kernel. The words are those of the simulated peers,
// which talk into a buffer here, in a time of their own.

const FIN_TEXT = 0x81;
const FIN_BINARY = 0x82;
const MASKED = 0x80;
const LENGTH_16 = 126;

const WEBSOCKET_TYPE_AT = 9;
const WEBSOCKET_MARK = Buffer.from('{"type":"mark"');

/** Two letters tell the texts of the service apart: where they are, and which they are. */
export interface Letters {
  at: number;
  /** Undefined where audio is binary. */
  audio?: number;
  mark: number;
}

/** The messages of one stream from its greeting to its stop. Many calls may share one: nothing in it belongs to a call. */
export interface PreparedStream {
  readonly letters: Letters;
  /** Everything before the first audio. */
  readonly opening: Buffer;
  /** 20 ms each. */
  readonly media: readonly Buffer[];
  /** What is said before hanging up, which may be nothing; once it was asked for, nothing is answered any more. */
  stop(): Buffer;
  /** What the peer says to the service's mark `text`, when what came before has been played. */
  playedMark(text: string): Buffer;
}

/** `frames` messages that say `audio` (raw, in the format of the wire's line) over and over, from its frame `offset` on. */
export function prepareStream(wire: SimulatedWire, audio: Uint8Array, frames: number, offset: number): PreparedStream {
  const talker = new StreamRecorder(wire, audio, offset);
  const letters = lettersOf(wire, talker.texts);
  const opening = talker.take();
  const media = Array.from({ length: frames }, () => talker.nextFrame());
  let stop: Buffer | undefined;
  return {
    letters,
    opening,
    media,
    stop: () => {
      stop ??= talker.stop();
      return stop;
    },
    playedMark: (text) => talker.receive(text),
  };
}

const opus = await loadOpus();
const inbound = inboundAudio();

/** How the service's texts begin on a stream of `wire` that began with `opening`. */
function lettersOf(wire: SimulatedWire, opening: readonly string[]): Letters {
  const service = carrierOf(wire)?.createWire({ outboundCodec: "mulaw" });
  if (service === undefined) return { at: WEBSOCKET_TYPE_AT, mark: lettersAt(WEBSOCKET_MARK, WEBSOCKET_TYPE_AT) };
  for (const text of opening) service.decode(Buffer.from(text), inbound);
  const audio = service.encodeAudio(new Uint8Array(CARRIER_FRAME_SAMPLES));
  const mark = Buffer.from(service.encodeMark("m"));
  const at = mark.findIndex((byte, index) => byte !== audio[index]);
  return { at, audio: lettersAt(audio, at), mark: lettersAt(mark, at) };
}

const lettersAt = (text: Uint8Array, at: number): number => ((text[at] as number) << 8) | (text[at + 1] as number);

/** A simulated peer that talks as fast as it is asked to. */
class StreamRecorder {
  readonly #clock = new SteppingClock();
  readonly #peer: SimulatedPeer;
  #hasBegun = false;
  #sent: Buffer[] = [];
  /** What it said as its stream began. */
  readonly texts: string[] = [];

  constructor(wire: SimulatedWire, audio: Uint8Array, offset: number) {
    const line = benchLine(wire);
    const bytes = frameBytes(formatsOf(line).inbound);
    const frames = Math.floor(audio.length / bytes);
    let frame = offset;
    this.#peer = simulatePeer(line, {
      clock: this.#clock,
      id: randomBytes(16).toString("hex"),
      opus,
      send: (message) => {
        this.#sent.push(masked(message));
        if (typeof message === "string" && !this.#hasBegun) this.texts.push(message);
      },
      close: () => {},
      onServiceMessage: () => {},
      earphone: () => {},
      microphone: () => {
        const at = (frame % frames) * bytes;
        frame += 1;
        return audio.subarray(at, at + bytes);
      },
    });
    this.#peer.start();
    this.#hasBegun = true;
    if (line.wire === "websocket") {
      const { codec, inputRateHz, outputRateHz } = line.format;
      const [input, output] = [inputRateHz, outputRateHz].map((sampleRate) => ({ codec, sampleRate }));
      this.#peer.receive(JSON.stringify({ type: "ready", callId: "call_bench", input, output }));
    }
  }

  /** Everything that was said since this was asked last. */
  take(): Buffer {
    return Buffer.concat(this.#sent.splice(0));
  }

  nextFrame(): Buffer {
    this.#clock.step();
    assert.equal(this.#sent.length, 1, "a beat is a message");
    return this.#sent.pop() as Buffer;
  }

  receive(text: string): Buffer {
    this.#peer.receive(text);
    return this.take();
  }

  stop(): Buffer {
    this.#peer.stop();
    return this.take();
  }
}

/** A clock for one beat: its time is that of the task that it ran last. */
class SteppingClock implements Clock {
  readonly #startEpochMs = epochMs(Date.now());
  #nowMs = 0;
  #next: { atMs: number; task: () => void } | undefined;

  nowMs(): MonotonicMs {
    return monotonicMs(this.#nowMs);
  }

  epochMs(): EpochMs {
    return addMs(this.#startEpochMs, this.#nowMs);
  }

  after(delayMs: number, task: () => void): () => void {
    this.#next = { atMs: this.#nowMs + delayMs, task };
    return () => {
      this.#next = undefined;
    };
  }

  step(): void {
    assert.ok(this.#next !== undefined, "a stream that has begun has a next beat");
    const { atMs, task } = this.#next;
    this.#nowMs = atMs;
    task();
  }
}

/** One message as a masked frame. */
function masked(message: string | Uint8Array): Buffer {
  const payload = Buffer.from(message);
  const head = payload.length < LENGTH_16 ? 2 : 4;
  const frame = Buffer.allocUnsafeSlow(head + 4 + payload.length);
  frame[0] = typeof message === "string" ? FIN_TEXT : FIN_BINARY;
  frame[1] = MASKED | Math.min(payload.length, LENGTH_16);
  if (head === 4) frame.writeUInt16BE(payload.length, 2);
  const mask = randomBytes(4);
  mask.copy(frame, head);
  for (const [at, byte] of payload.entries()) frame[head + 4 + at] = byte ^ (mask[at & 3] as number);
  return frame;
}
