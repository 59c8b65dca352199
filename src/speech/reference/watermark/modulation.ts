/**
 * Speech that carries its own words as data, inside the telephone band, for the reference voice and the reference ear.
 *
 *       speech, low-passed                carrier, when there is a word
 *     |###################____________|....M.....S....|        M = mark = 1 = idle, S = space = 0
 *     0                  2.4        2.6   2.8   3.3   4.0 kHz
 *
 * The carrier is continuous-phase FSK, 600 baud, 8N1, some 24 dB under the peaks of the speech: a thin rasp to a person, and
 * loud enough for G.711, resampling and a noisy line. It begins and ends with each word's frame, so that it is silent when
 * the voice is. A frame is ten bits of mark (a reader that is out of step is in step again by then), the bytes of
 * word-frame.ts, and three bits of mark (so that the last byte is out of the receiver's filter before the line may be cut).
 */

/** The rate of speech that carries words. Nothing of it lies above the telephone band, so that nothing is gained by more. */
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
