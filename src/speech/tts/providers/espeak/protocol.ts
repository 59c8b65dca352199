import type { TimedWord } from "../../../contracts.ts";

/**
 * What the service and its voice program say to each other over two pipes, the program blocking on both:
 *
 * - to the program: a request (its length in four bytes, then JSON); while it is being spoken, for each frame of audio one
 *   byte, GO or STOP. The program runs AUDIO_AHEAD_MAX frames ahead of those answers, so that a request can be given up at any
 *   time and yet is not slowed down; it reads all of them before the next request.
 * - from the program: frames, each its payload's length in four bytes, one byte for its kind, and the payload.
 *
 * Numbers are little-endian, as are the samples: every platform that Node runs on is.
 */
export interface SynthesisRequest {
  text: string;
  /** eSpeak's identifier of the voice, for example `gmw/en-US`. */
  voice: string;
  /** The speech is to carry its own words as data. */
  watermark: boolean;
}

export const GO = 1;
export const STOP = 0;
export const UNACKNOWLEDGED_FRAMES_MAX = 4;

/** A voice as eSpeak names it. `language` is its own code, mostly BCP 47. */
export interface ProgramVoice {
  identifier: string;
  name: string;
  language: string;
}

export type ProgramFrame =
  /** First, once: the program can take requests. */
  | { kind: "ready"; voices: ProgramVoice[] }
  /** Instead of `ready`; the program has ended. */
  | { kind: "unusable"; missing: boolean; reason: string }
  /** Words that became known with the audio that follows. */
  | { kind: "words"; words: TimedWord[] }
  | { kind: "audio"; rateHz: number; samples: Int16Array }
  /** The request is answered: spoken, stopped, or, with `failed`, not possible. */
  | { kind: "end"; failed?: string };

const JSON_FRAME = 1;
const AUDIO_FRAME = 2;
const HEAD_BYTES = 5;
const RATE_BYTES = 4;
/** No frame is larger; a length above this is no length. */
const PAYLOAD_BYTES_MAX = 16 * 1024 * 1024;

export function encodeRequest(request: SynthesisRequest): Buffer {
  const json = Buffer.from(JSON.stringify(request));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(json.length);
  return Buffer.concat([head, json]);
}

export function encodeFrame(frame: ProgramFrame): Buffer {
  const payload = frame.kind === "audio" ? audioPayload(frame) : Buffer.from(JSON.stringify(frame));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(payload.length);
  head[4] = frame.kind === "audio" ? AUDIO_FRAME : JSON_FRAME;
  return Buffer.concat([head, payload]);
}

function audioPayload({ rateHz, samples }: { rateHz: number; samples: Int16Array }): Buffer {
  const payload = Buffer.alloc(RATE_BYTES + samples.byteLength);
  payload.writeUInt32LE(rateHz);
  payload.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), RATE_BYTES);
  return payload;
}

/** Cuts the program's bytes, as they come, into frames. Throws at bytes that are none. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  *push(bytes: Buffer): Generator<ProgramFrame> {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (this.#rest.length >= HEAD_BYTES) {
      const length = this.#rest.readUInt32LE();
      if (length > PAYLOAD_BYTES_MAX) throw new RangeError("no frame is that long");
      if (this.#rest.length < HEAD_BYTES + length) return;
      const isAudio = this.#rest[4] === AUDIO_FRAME;
      const payload = this.#rest.subarray(HEAD_BYTES, HEAD_BYTES + length);
      this.#rest = this.#rest.subarray(HEAD_BYTES + length);
      yield isAudio ? decodeAudio(payload) : JSON.parse(payload.toString("utf8"));
    }
  }
}

function decodeAudio(payload: Buffer): ProgramFrame {
  const samples = new Int16Array((payload.length - RATE_BYTES) / Int16Array.BYTES_PER_ELEMENT);
  new Uint8Array(samples.buffer).set(payload.subarray(RATE_BYTES));
  return { kind: "audio", rateHz: payload.readUInt32LE(), samples };
}
