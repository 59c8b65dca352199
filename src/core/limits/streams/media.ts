// Media: one frame is 20 ms of signed 16-bit mono.
export const FRAME_MS = 20;
export const CARRIER_RATE_HZ = 8_000;
/** Samples of one frame at a carrier's rate. */
export const CARRIER_FRAME_SAMPLES = (CARRIER_RATE_HZ / 1_000) * FRAME_MS;

/** How far output runs ahead of playout at least, so that an event-loop stall of this length is not heard. */
export const OUTPUT_LEAD_MS = 100;

/** Speech that must be buffered before a reply is sent, unless it is the whole reply: a TTS does not deliver evenly. */
export const OUTPUT_CUSHION_FRAMES = 10;

/** The frame ring of a call: synthesized speech that waits to be sent. While it is full, no more is pulled from the TTS. */
export const OUTPUT_RING_FRAMES_MAX = 150;

/** Phase slots of the ticker: each call is due every FRAME_MS, and a tenth of the calls in the same 2 ms. */
export const TICK_SLOTS = 10;

/** RFC 6716, section 3.2.1: the largest Opus frame. It bounds a frame, not a packet, which holds up to 48 frames. */
export const OPUS_FRAME_BYTES_MAX = 1_275;
/** A packet of at most so many bytes has no audio: libopus encodes silence so with DTX, and senders may leave it out (`opus_encode`). */
export const OPUS_DTX_BYTES_MAX = 2;
/** RFC 6716, section 3.2.5: the longest audio of one packet. */
export const OPUS_PACKET_MS_MAX = 120;
/**
 * RFC 7845, section 6: 120 ms in six of the largest frames (6 x 1,275), with the TOC byte, the count of frames and six lengths of two
 * bytes. RFC 6716 allows more only as padding, or in shorter frames at 510 kbit/s and more.
 */
export const OPUS_PACKET_BYTES_MAX = 7_664;
