import {
  FRAMING_BYTES_BURST_MAX,
  FRAMING_BYTES_PER_SECOND_MAX,
  MESSAGE_FRAGMENTS_MAX,
} from "../../../src/core/limits/streams/connections.ts";
import { encodeFrame, OPCODE } from "../../../test/support/network/raw-ws.ts";
import type { BurstLimit, RateLimit } from "../limit.ts";
import { rawStream } from "./streams.ts";

// What a peer may send in fragments, where ws reads them: uWebSockets.js reads them in native code and does not report them.

const stream = rawStream("pcm_s16le", 16_000);
/** A fragment's head, with its mask. */
const HEAD_BYTES = 6;
const MESSAGES_PER_SECOND = 10;

/** A message of so many fragments with `bytesEach` bytes each. */
function inFragments(count: number, bytesEach: number): Buffer {
  const payload = Buffer.alloc(bytesEach);
  const fragment = (at: number): Buffer =>
    encodeFrame({ opcode: at === 0 ? OPCODE.binary : OPCODE.continuation, payload, fin: at === count - 1 });
  return Buffer.concat(Array.from({ length: count }, (_, at) => fragment(at)));
}

export const framingRates: readonly RateLimit[] = [
  {
    name: "fragments without a byte, on ws",
    bounds: "FRAMING_BYTES_PER_SECOND_MAX",
    stream,
    perSecond: MESSAGES_PER_SECOND,
    unit: () => inFragments(Math.floor(FRAMING_BYTES_PER_SECOND_MAX / MESSAGES_PER_SECOND / HEAD_BYTES), 0),
  },
];

const burst = (name: string, bounds: string, of: () => Buffer): BurstLimit => ({
  ...{ name: `${name}, on ws`, bounds, stream, silentMs: 0, burst: of },
});

export const framingBursts: readonly BurstLimit[] = [
  burst("fragments without a byte", "FRAMING_BYTES_MAX", () => {
    const fragments = Math.floor(FRAMING_BYTES_BURST_MAX / HEAD_BYTES) - 1;
    const whole = Math.floor(fragments / MESSAGE_FRAGMENTS_MAX);
    const messages = Array<Buffer>(whole).fill(inFragments(MESSAGE_FRAGMENTS_MAX, 0));
    return Buffer.concat([...messages, inFragments(fragments % MESSAGE_FRAGMENTS_MAX, 0)]);
  }),
  burst("a message in fragments of a byte", "MESSAGE_FRAGMENTS_MAX", () => inFragments(MESSAGE_FRAGMENTS_MAX, 1)),
];
