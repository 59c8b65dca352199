import { strict as assert } from "node:assert";
import { type TrunklineError, wireMalformed } from "../../core/errors.ts";
import { OPUS_PACKET_BYTES_MAX, OPUS_PACKET_MS_MAX } from "../../core/limits/streams/media.ts";
import type { OpusRefusal } from "../../core/metrics/labels.ts";

const SILK_FRAME_MS = [10, 20, 40, 60] as const;
const HYBRID_FRAME_MS = [10, 20] as const;
const CELT_FRAME_MS = [2.5, 5, 10, 20] as const;
/** RFC 6716, section 3.1: the frame duration of the 32 configurations, which are the upper bits of the first byte. */
const FRAME_MS_OF_CONFIGURATION: readonly number[] = [
  ...[SILK_FRAME_MS, SILK_FRAME_MS, SILK_FRAME_MS].flat(),
  ...[HYBRID_FRAME_MS, HYBRID_FRAME_MS].flat(),
  ...[CELT_FRAME_MS, CELT_FRAME_MS, CELT_FRAME_MS, CELT_FRAME_MS].flat(),
];
assert.equal(FRAME_MS_OF_CONFIGURATION.length, 32);

/**
 * Throws `wire_malformed` for packets that no library may get: an empty one, which stands for a lost packet and would
 * be concealed, and one with too much audio or too many bytes. The library finds other errors.
 */
export function checkOpusPacket(packet: Uint8Array): void {
  if (packet.length === 0) throw wireMalformed("websocket", "an empty Opus packet");
  if (packet.length > OPUS_PACKET_BYTES_MAX) {
    throw opusRefused("too_large", `an Opus packet of ${packet.length} bytes; at most ${OPUS_PACKET_BYTES_MAX}`);
  }
  const packetMs = opusPacketMs(packet);
  if (packetMs === 0) throw opusRefused("no_frames", "an Opus packet without frames; at least one");
  if (packetMs > OPUS_PACKET_MS_MAX) {
    throw opusRefused("too_long", `an Opus packet of ${packetMs} ms; at most ${OPUS_PACKET_MS_MAX}`);
  }
}

/** The error of a packet that is refused: `wire_malformed`, with the reason as data in `cause`. */
export const opusRefused = (reason: OpusRefusal, what: string): TrunklineError =>
  wireMalformed("websocket", what, { opusRefusal: reason } satisfies OpusRefusalCause);

interface OpusRefusalCause {
  readonly opusRefusal: OpusRefusal;
}

/** Why an Opus packet was refused; undefined for any other error. */
export function opusRefusalOf({ cause }: TrunklineError): OpusRefusal | undefined {
  return (cause as Partial<OpusRefusalCause> | undefined)?.opusRefusal;
}

/** The duration of a packet that is not empty, ms, as its first two bytes say it; 0 for one without frames. */
export function opusPacketMs(packet: Uint8Array): number {
  return (FRAME_MS_OF_CONFIGURATION[(packet[0] as number) >> 3] as number) * frameCount(packet);
}

/** RFC 6716, section 3.2: the lowest bits of the first byte say 1 frame, 2, 2, or the number in the second byte. */
function frameCount(packet: Uint8Array): number {
  switch ((packet[0] as number) & 0b11) {
    case 0:
      return 1;
    case 3:
      return (packet[1] ?? 0) & 0b11_1111;
    default:
      return 2;
  }
}
