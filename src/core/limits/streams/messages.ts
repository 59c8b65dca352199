import { BACKLOG_MS_MAX } from "./caller-audio.ts";

// Messages of peers on all wires.
export const CARRIER_MESSAGE_BYTES_MAX = 64 * 1024;
export const STREAM_ID_CHARS_MAX = 256;

/** The code of an error that a carrier reports; longer ones are not logged. */
export const CARRIER_CODE_CHARS_MAX = 64;

/** Extra headers that a carrier repeats in its messages, at its own limit; audio messages with more are not parsed by the fast parser. */
export const EXTRA_HEADERS_CHARS_MAX = 512;

/** Messages within one second; past it the call ends with `protocol_error`. A carrier sends 50, and more after a delay. 2,500 x 4.5 µs = 1.1 % of the event loop. */
export const MESSAGES_PER_SECOND_MAX = 2_500;

/** Those of them that are not audio: 500 x 28 µs = 1.4 % of the event loop, with the bytes that the limits below allow. */
export const NON_AUDIO_MESSAGES_PER_SECOND_MAX = 500;

/** Returned marks and acknowledged clears within one second; more are ignored and counted. 100 x 92 µs = 0.9 % of the event loop. */
export const MARKS_PER_SECOND_MAX = 100;

/** Malformed messages within one second; past it the call ends with `protocol_error`. 50 x 229 µs = 1.1 % of the event loop. */
export const MALFORMED_PER_SECOND_MAX = 50;

/** DTMF digits within one second; more are ignored and counted. 20 x 231 µs = 0.5 % of the event loop. */
export const DTMF_PER_SECOND_MAX = 20;

/** On wires whose DTMF digits may arrive out of order, how long a digit waits for an earlier one. */
export const DTMF_ORDER_MS = 200;

/** Errors reported by a carrier that are logged within one second; all are counted. */
export const CARRIER_ERRORS_LOGGED_PER_SECOND_MAX = 5;

// The raw WebSocket protocol.
/** Bytes of audio in one message; a larger one is rejected with 1009. */
export const STREAM_MESSAGE_MS_MAX = 1_000;

/**
 * Bounds of what a peer may make a worker parse. The message that exceeds a byte budget is not parsed, is counted as `flood`, and
 * ends the call with `message_flood`. The products of rate and cost in this file are the shares of the worker's event loop that one
 * peer takes at the limit, measured by `npm run bench:limits`.
 */

/**
 * The token bucket for text messages of a raw WebSocket, in bytes: its burst, and its rate per second. A tool `result` that is not a
 * string is charged twice, because it is serialized again. Burst: 256 KiB x 110 ns = 29 ms of the event loop; rate: 32 KiB x 144 ns
 * = 0.5 % of it.
 */
export const TEXT_BYTES_BURST_MAX = 256 * 1024;
export const TEXT_BYTES_PER_SECOND_MAX = 32 * 1024;

/** One text message of a raw WebSocket other than `text` and `toolResult`; a longer one is rejected with 1009. */
export const TEXT_MESSAGE_BYTES_MAX = 16 * 1024;

/**
 * The token bucket for carrier messages that the fast parser does not handle, in bytes without the audio: its rate per second, and
 * its burst. The rate is the lowest at which audio with 2 KiB of extra headers in each message passes (2,230 bytes, 50 per second:
 * 109 KiB/s). 683 audio messages x 18 µs = 1.3 % of the event loop; burst: 4.9 MiB x 7 ns, or 80,000 parts x 0.4 µs, = 34 ms.
 */
export const CARRIER_BYTES_PER_SECOND_MAX = 112 * 1024;
/** The burst of that bucket: what arrives at this rate during the longest tolerated backlog. */
export const CARRIER_BYTES_BURST_MAX = (CARRIER_BYTES_PER_SECOND_MAX * BACKLOG_MS_MAX) / 1_000;

/**
 * What such a message is charged in addition to its bytes: the time of JSON.parse depends on the number of its parts (brackets,
 * braces, commas and colons), not on its length. An audio message has about 20 of them.
 */
export const MESSAGE_PARTS_FREE = 32;
export const MESSAGE_PART_BYTES = 64;

/** Texts that the caller typed within one second; more are ignored, counted and answered with `error`: each causes an LLM request. 5 x 0.8 ms = 0.4 % of the event loop. */
export const TEXTS_PER_SECOND_MAX = 5;

/** The token bucket for characters of typed text: burst and rate. The conversation contains all of them, and each prompt repeats it. */
export const TYPED_CHARS_BURST_MAX = 65_536;
export const TYPED_CHARS_PER_SECOND_MAX = 200;
