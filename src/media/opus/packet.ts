import { strict as assert } from "node:assert";
import { wireMalformed } from "../../core/errors.ts";
import { OPUS_PACKET_BYTES_MAX, OPUS_PACKET_MS_MAX } from "../../core/limits/media.ts";

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
    throw wireMalformed("websocket", `an Opus packet of more than ${OPUS_PACKET_BYTES_MAX} bytes`);
  }
  const frameMs = FRAME_MS_OF_CONFIGURATION[(packet[0] as number) >> 3] as number;
  const packetMs = frameMs * frameCount(packet);
  if (packetMs === 0) throw wireMalformed("websocket", "an Opus packet without frames");
  if (packetMs > OPUS_PACKET_MS_MAX) {
    throw wireMalformed("websocket", `an Opus packet of more than ${OPUS_PACKET_MS_MAX} ms`);
  }
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
