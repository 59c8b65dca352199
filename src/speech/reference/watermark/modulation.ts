/**
 * The audio watermark of the reference TTS and STT: speech that carries its words as data, within the telephone band.
 *
 *       speech, low-passed                carrier, when there is a word
 *     |###################____________|....M.....S....|        M = mark = 1 = idle, S = space = 0
 *     0                  2.4        2.6   2.8   3.3   4.0 kHz
 *
 * The carrier is continuous-phase FSK, 600 baud, 8N1, some 24 dB below the peaks of the speech: a thin rasp to a
 * person, and loud enough for G.711, resampling and a noisy line. It is on only during each word's frame, so it is
 * silent when the speech is. A frame is ten bits of mark (enough for a reader to synchronise again), the bytes of
 * frame.ts, and three bits of mark (so that the last byte has left the receiver's filter before the audio may end).
 */

/** The rate of speech with a watermark. It has nothing above the telephone band, so a higher rate adds nothing. */
export const WATERMARK_RATE_HZ = 8_000;

export const BAUD = 600;
export const MARK_HZ = 2_800;
export const SPACE_HZ = 3_300;
export const PREAMBLE_BITS = 10;
/** 8N1: a start bit (space), eight bits from the least significant on, a stop bit (mark). */
export const BYTE_BITS = 10;
export const TRAILER_BITS = 3;
/** Peak of the carrier as it is sent: -28 dBFS. */
export const CARRIER_PEAK = 1_305;
