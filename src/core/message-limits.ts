import { strict as assert } from "node:assert";
import { BACKLOG_MS_MAX, CARRIER_MESSAGE_BYTES_MAX, TURN_TEXT_CHARS_MAX } from "./limits.ts";

/**
 * Bounds of what a peer may make a worker parse. Policy of each allowance of bytes: the message that exceeds it is not parsed, is
 * counted as `flood`, and ends the call with `message_flood`. The products of rate and cost here and in `limits.ts` are the shares
 * of its worker's loop that one peer takes at the limit, as `npm run bench:limits` measures them.
 */

/**
 * Text messages of a raw WebSocket, in bytes: at once, and in the long run. A `result` of a tool that is no string is charged twice,
 * for it is written again. 256 KiB x 110 ns = 29 ms of the loop at once; 32 KiB x 144 ns = 0.5 % of it in the long run.
 */
export const TEXT_BYTES_AT_ONCE_MAX = 256 * 1024;
export const TEXT_BYTES_PER_SECOND_MAX = 32 * 1024;
/** One text message of a raw WebSocket, but for `text` and `toolResult`; a longer one is answered with 1009. */
export const TEXT_MESSAGE_BYTES_MAX = 16 * 1024;

/**
 * Messages of a carrier that no fast reader knows, in bytes outside of the audio that is heard: in the long run, and at once. The rate
 * is the least with which audio with 2 KiB of extra headers in each message passes (2,230 bytes, 50 a second: 109 KiB/s). 683 messages of
 * audio x 18 µs = 1.3 % of the loop; at once 4.9 MiB x 7 ns, or 80,000 parts x 0.4 µs, = 34 ms.
 */
export const CARRIER_BYTES_PER_SECOND_MAX = 112 * 1024;
export const CARRIER_BYTES_AT_ONCE_MAX = (CARRIER_BYTES_PER_SECOND_MAX * BACKLOG_MS_MAX) / 1_000;
/**
 * What such a message is charged beside its bytes: the time that JSON takes depends on its parts (brackets, braces, commas and
 * colons), not on its length. A message of audio has about 20 of them.
 */
export const MESSAGE_PARTS_FREE = 32;
export const MESSAGE_PART_BYTES = 64;

/** Texts that the caller typed within one second; more are ignored, counted and answered with `error`: each asks the LLM. 5 x 0.8 ms = 0.4 % of the loop. */
export const TEXTS_PER_SECOND_MAX = 5;
/** Characters of them at once, and in the long run: the conversation keeps them all, and the model is sent it each time. */
export const TYPED_CHARS_AT_ONCE_MAX = 65_536;
export const TYPED_CHARS_PER_SECOND_MAX = 200;

assert.ok(TYPED_CHARS_AT_ONCE_MAX >= TURN_TEXT_CHARS_MAX, "the longest text must pass");
assert.ok(TEXT_BYTES_AT_ONCE_MAX >= 2 * CARRIER_MESSAGE_BYTES_MAX, "the longest result of a tool must pass");
assert.ok(
  CARRIER_BYTES_AT_ONCE_MAX > CARRIER_MESSAGE_BYTES_MAX * (1 + MESSAGE_PART_BYTES),
  "one message of a carrier must pass, whatever it holds",
);
