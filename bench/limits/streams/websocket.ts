import { CONTROL_FRAMES_PER_SECOND_MAX } from "../../../src/core/limits/streams/connections.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import {
  CARRIER_MESSAGE_BYTES_MAX,
  DTMF_PER_SECOND_MAX,
  MALFORMED_PER_SECOND_MAX,
  MARKS_PER_SECOND_MAX,
  MESSAGES_PER_SECOND_MAX,
  NON_AUDIO_MESSAGES_PER_SECOND_MAX,
  TEXT_BYTES_PER_SECOND_MAX,
  TEXT_MESSAGE_BYTES_MAX,
  TEXTS_PER_SECOND_MAX,
  TYPED_CHARS_PER_SECOND_MAX,
} from "../../../src/core/limits/streams/messages.ts";
import { encodeFrame, OPCODE } from "../../../test/support/network/raw-ws.ts";
import { differentKeys, padded } from "../../../test/support/wires/costly-json.ts";
import type { RateLimit } from "../limit.ts";
import { binaryFrame, rawStream, textFrame } from "./streams.ts";

// What the client of a raw WebSocket may keep up.

const stream = rawStream("pcm_s16le", 16_000);
const FRAMES_PER_SECOND = 1_000 / FRAME_MS;
/** Of messages that share the bytes of a second evenly. */
const shareBytes = (perSecond: number): number => Math.floor(TEXT_BYTES_PER_SECOND_MAX / perSecond);

/** Opus packets of noise: any bytes decode. `toc` as of RFC 6716, section 3.1. */
export function opusPacket(toc: number, bytes: number, index: number, frames?: number): Buffer {
  const packet = Buffer.alloc(bytes);
  for (let at = 1; at < bytes; at += 1) packet[at] = Math.imul(index * 977 + at, 0x9e37_79b1) >>> 24;
  packet[0] = toc;
  if (frames !== undefined) packet[1] = frames;
  return packet;
}
/** CELT at 48 kHz in frames of 2.5 ms (configuration 28) and 20 ms (31), SILK at 16 kHz in frames of 20 ms (9), each mono. */
const TOC_CELT_2_5_MS = 28 << 3;
export const TOC_CELT_20_MS = 31 << 3;
const TOC_HYBRID_20_MS = 15 << 3;
/** Code 3: any number of frames. */
const TOC_CODE_3 = 3;

const text = (
  name: string,
  bounds: string,
  perSecond: number,
  of: (index: number) => string,
  atOnce?: number,
): RateLimit => ({
  name,
  bounds,
  stream,
  perSecond,
  unit: (index) => textFrame(of(index)),
  ...(atOnce !== undefined && { atOnce }),
});

const texts: readonly RateLimit[] = [
  text(
    "16 KiB of different keys",
    "TEXT_BYTES_PER_SECOND_MAX",
    TEXT_BYTES_PER_SECOND_MAX / TEXT_MESSAGE_BYTES_MAX,
    (at) => differentKeys(TEXT_MESSAGE_BYTES_MAX, at, '"type":"weather"'),
    8,
  ),
  text(
    "tool results of 64 KiB of different keys",
    "TEXT_BYTES_PER_SECOND_MAX",
    // They are charged twice.
    TEXT_BYTES_PER_SECOND_MAX / (2 * CARRIER_MESSAGE_BYTES_MAX),
    (at) => differentKeys(CARRIER_MESSAGE_BYTES_MAX, at, '"type":"toolResult","id":"1"', "result"),
    2,
  ),
  text("tool results that nothing waits for", "OTHER_MESSAGES_PER_SECOND_MAX", NON_AUDIO_MESSAGES_PER_SECOND_MAX, () =>
    padded('{"type":"toolResult","id":"1"}', shareBytes(NON_AUDIO_MESSAGES_PER_SECOND_MAX)),
  ),
  text("malformed messages", "MALFORMED_PER_SECOND_MAX", MALFORMED_PER_SECOND_MAX, (at) =>
    differentKeys(shareBytes(MALFORMED_PER_SECOND_MAX), at, '"type":"mark"'),
  ),
  text("marks", "MARKS_PER_SECOND_MAX", MARKS_PER_SECOND_MAX, (at) => `{"type":"mark","name":"m${at}"}`),
  text("answers to clear", "MARKS_PER_SECOND_MAX", MARKS_PER_SECOND_MAX, (at) => `{"type":"cleared","playedMs":${at}}`),
  text("keys", "DTMF_PER_SECOND_MAX", DTMF_PER_SECOND_MAX, (at) => `{"type":"dtmf","digit":"${at % 10}"}`),
  text("typed texts", "TEXTS_PER_SECOND_MAX, TYPED_CHARS_PER_SECOND_MAX", TEXTS_PER_SECOND_MAX, (at) =>
    JSON.stringify({ type: "text", text: `${at} ${"x".repeat(TYPED_CHARS_PER_SECOND_MAX)}`.slice(0, 40) }),
  ),
  {
    name: "text in fragments of a byte",
    bounds: "TEXT_BYTES_PER_SECOND_MAX",
    stream,
    perSecond: TEXT_BYTES_PER_SECOND_MAX / 1_024,
    unit: () => {
      const bytes = Buffer.from(padded('{"type":"weather"}', 1_024));
      return Buffer.concat(
        Array.from(bytes, (_, at) =>
          encodeFrame({
            opcode: at === 0 ? OPCODE.text : OPCODE.continuation,
            payload: bytes.subarray(at, at + 1),
            fin: at === bytes.length - 1,
          }),
        ),
      );
    },
  },
];

const control: readonly RateLimit[] = (["ping", "pong"] as const).map((kind) => ({
  name: `${kind}s of 125 bytes`,
  bounds: "CONTROL_FRAMES_PER_SECOND_MAX",
  stream,
  perSecond: CONTROL_FRAMES_PER_SECOND_MAX,
  unit: () => encodeFrame({ opcode: OPCODE[kind], payload: Buffer.alloc(125) }),
}));

/** Audio in real time: of more than that the call ends with `audio_flood`. */
const audio: readonly RateLimit[] = [
  ...([8_000, 16_000, 24_000, 48_000] as const).map((rateHz) => ({
    name: "audio in messages of 20 ms",
    bounds: "INGEST_AHEAD_MS_MAX",
    stream: rawStream("pcm_s16le", rateHz),
    perSecond: FRAMES_PER_SECOND,
    unit: (index: number) => binaryFrame(Buffer.alloc((rateHz / FRAMES_PER_SECOND) * 2, index)),
  })),
  {
    name: "audio in messages of 12 bytes",
    bounds: "MESSAGES_PER_SECOND_MAX",
    stream,
    perSecond: MESSAGES_PER_SECOND_MAX,
    unit: (index) => binaryFrame(Buffer.alloc(12, index)),
  },
  {
    name: "audio in messages of 3 bytes",
    bounds: "MESSAGES_PER_SECOND_MAX",
    stream: rawStream("alaw", 8_000),
    perSecond: MESSAGES_PER_SECOND_MAX,
    unit: (index) => binaryFrame(Buffer.alloc(3, index)),
  },
  ...(
    [
      ["CELT, packets of 2.5 ms", 400, TOC_CELT_2_5_MS, 40, undefined],
      ["CELT, packets of 20 ms", 50, TOC_CELT_20_MS, 200, undefined],
      ["hybrid, packets of 20 ms", 50, TOC_HYBRID_20_MS, 200, undefined],
      ["CELT, 48 frames a packet", 1_000 / 120, TOC_CELT_2_5_MS | TOC_CODE_3, 2 + 48 * 26, 48],
    ] as const
  ).map(([what, perSecond, toc, bytes, frames]) => ({
    name: `audio in Opus, ${what}`,
    bounds: "INGEST_AHEAD_MS_MAX",
    stream: rawStream("opus", 48_000),
    perSecond,
    unit: (index: number) => binaryFrame(opusPacket(toc, bytes, index, frames)),
  })),
];

export const rawLimits: readonly RateLimit[] = [...texts, ...control, ...audio];
