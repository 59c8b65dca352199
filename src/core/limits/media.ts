/** Every bound of the service, in one place, each with its unit and, where it is reached, its policy. */

// Media: one frame is 20 ms of signed 16-bit mono.
export const FRAME_MS = 20;
export const CARRIER_RATE_HZ = 8_000;
export const CARRIER_FRAME_SAMPLES = (CARRIER_RATE_HZ / 1_000) * FRAME_MS;

/** How far output runs ahead of what the carrier plays, at least, so that a stall of the loop as long as that is not heard. */
export const OUTPUT_LEAD_MS = 100;

/** Speech that must be there before any of a reply is sent, unless it is all there is: a voice does not deliver evenly. */
export const OUTPUT_CUSHION_FRAMES = 10;

/** Synthesised speech waiting for its turn to be sent, per call; when full the synthesis is not pulled any further. */
export const OUTPUT_RING_FRAMES_MAX = 150;

/** Phase slots of the ticker: every call is due each FRAME_MS, but only a tenth of them in the same 2 ms. */
export const TICK_SLOTS = 10;

/** RFC 6716, section 3.4: a packet of one frame is no longer; and the audio in one packet is never more than this. */
export const OPUS_PACKET_BYTES_MAX = 1_275;
export const OPUS_PACKET_MS_MAX = 120;
