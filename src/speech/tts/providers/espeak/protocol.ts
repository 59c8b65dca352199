import type { TimedWord } from "../../../contracts.ts";

/**
 * The protocol between the service and an eSpeak process, over two pipes on which the process blocks:
 *
 * - to the process: a request (its length in four bytes, then JSON); during a request, for each frame of audio one
 *   byte, GO or STOP. The process sends up to UNACKNOWLEDGED_FRAMES_MAX frames without such a byte, so that a request
 *   can be cancelled at any time and yet is not slowed down. It reads all of these bytes before the next request.
 * - from the process: frames, each its payload's length in four bytes, one byte for its kind, and the payload.
 *
 * Numbers and samples are little-endian, like every platform that Node runs on.
 */
export interface SynthesisRequest {
  text: string;
  /** eSpeak's identifier of the voice, for example `gmw/en-US`. */
  voice: string;
  /** The speech carries its words as an audio watermark. */
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
  /** The request has ended: complete, cancelled, or, with `failed`, impossible. */
  | { kind: "end"; failed?: string };

const JSON_FRAME = 1;
const AUDIO_FRAME = 2;
const HEAD_BYTES = 5;
const RATE_BYTES = 4;
/** No frame is larger; a larger length is invalid. */
const PAYLOAD_BYTES_MAX = 16 * 1024 * 1024;

/** The request as the child process reads it: the length of its JSON in 4 bytes, little-endian, then the JSON. */
export function encodeRequest(request: SynthesisRequest): Buffer {
  const json = Buffer.from(JSON.stringify(request));
  const head = Buffer.alloc(4);
  head.writeUInt32LE(json.length);
  return Buffer.concat([head, json]);
}

/**
 * The frame as `FrameReader` reads it: the length of its payload in 4 bytes, little-endian, its type in one byte, then
 * the payload. Audio is its rate in 4 bytes, then the samples in the byte order of the machine.
 */
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

/** Splits the process's bytes into frames. Throws on an invalid length. */
export class FrameReader {
  /** Bytes of a frame that is not complete yet. */
  #rest: Buffer = Buffer.alloc(0);

  *push(bytes: Buffer): Generator<ProgramFrame> {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (this.#rest.length >= HEAD_BYTES) {
      const length = this.#rest.readUInt32LE();
      if (length > PAYLOAD_BYTES_MAX)
        throw new RangeError(`a frame of ${length} bytes exceeds the maximum of ${PAYLOAD_BYTES_MAX}`);
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
