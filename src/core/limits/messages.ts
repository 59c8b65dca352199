import { BACKLOG_MS_MAX } from "./caller-audio.ts";

// Wires: what a peer may send.
export const CARRIER_MESSAGE_BYTES_MAX = 64 * 1024;
export const STREAM_ID_CHARS_MAX = 256;

/** A carrier's own code for what it complains about; it is logged, so longer ones are not told. */
export const CARRIER_CODE_CHARS_MAX = 64;

/** What carrier_c passes on with its messages, as it limits it; with more than that its audio has no fast reader. */
export const EXTRA_HEADERS_CHARS_MAX = 512;

/** Messages within one second; past it the call ends with `protocol_error`. A carrier sends 50, unless it makes up. 2,500 x 5.5 µs = 1.4 % of the loop. */
export const MESSAGES_PER_SECOND_MAX = 2_500;

/** Of them those that are no audio: 500 x 31 µs = 1.6 % of the loop, with as many bytes as `message-limits.ts` allows. */
export const NON_AUDIO_MESSAGES_PER_SECOND_MAX = 500;

/** Marks that come back, and clears that are answered, within one second; more are ignored and counted. 100 x 134 µs = 1.3 % of the loop. */
export const MARKS_PER_SECOND_MAX = 100;

/** Malformed messages within one second; past it the call ends with `protocol_error`. 50 x 293 µs = 1.5 % of the loop. */
export const MALFORMED_PER_SECOND_MAX = 50;

/** Keys within one second; more are ignored and counted. 20 x 366 µs = 0.7 % of the loop. */
export const DTMF_PER_SECOND_MAX = 20;

/** Where keys may come out of order, each waits this long for one that was pressed before it. */
export const DTMF_ORDER_MS = 200;

/** Complaints of a carrier that are logged within one second; all are counted. */
export const CARRIER_ERRORS_LOGGED_PER_SECOND_MAX = 5;

// The raw WebSocket protocol.
/** Audio in one message; more is answered with 1009. */
export const STREAM_MESSAGE_MS_MAX = 1_000;

/**
 * Bounds of what a peer may make a worker parse. Policy of each allowance of bytes: the message that exceeds it is not parsed, is
 * counted as `flood`, and ends the call with `message_flood`. The products of rate and cost here and in `limits.ts` are the shares
 * of its worker's loop that one peer takes at the limit, as `npm run bench:limits` measures them.
 */

/**
 * Text messages of a raw WebSocket, in bytes: at once, and in the long run. A `result` of a tool that is no string is charged twice,
 * for it is written again. 256 KiB x 110 ns = 29 ms of the loop at once; 32 KiB x 144 ns = 0.5 % of it in the long run.
 */
export const TEXT_BYTES_BURST_MAX = 256 * 1024;
export const TEXT_BYTES_PER_SECOND_MAX = 32 * 1024;

/** One text message of a raw WebSocket, but for `text` and `toolResult`; a longer one is answered with 1009. */
export const TEXT_MESSAGE_BYTES_MAX = 16 * 1024;

/**
 * Messages of a carrier that no fast reader knows, in bytes outside of the audio that is heard: in the long run, and at once. The rate
 * is the least with which audio with 2 KiB of extra headers in each message passes (2,230 bytes, 50 a second: 109 KiB/s). 683 messages of
 * audio x 45 µs = 3.1 % of the loop; at once 4.9 MiB x 7 ns, or 80,000 parts x 0.4 µs, = 34 ms.
 */
export const CARRIER_BYTES_PER_SECOND_MAX = 112 * 1024;
export const CARRIER_BYTES_BURST_MAX = (CARRIER_BYTES_PER_SECOND_MAX * BACKLOG_MS_MAX) / 1_000;

/**
 * What such a message is charged beside its bytes: the time that JSON takes depends on its parts (brackets, braces, commas and
 * colons), not on its length. A message of audio has about 20 of them.
 */
export const MESSAGE_PARTS_FREE = 32;
export const MESSAGE_PART_BYTES = 64;

/** Texts that the caller typed within one second; more are ignored, counted and answered with `error`: each asks the LLM. 5 x 2.1 ms = 1.1 % of the loop. */
export const TEXTS_PER_SECOND_MAX = 5;

/** Characters of them at once, and in the long run: the conversation keeps them all, and the model is sent it each time. */
export const TYPED_CHARS_BURST_MAX = 65_536;
export const TYPED_CHARS_PER_SECOND_MAX = 200;
