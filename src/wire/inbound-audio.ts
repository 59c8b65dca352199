import { CARRIER_MESSAGE_BYTES_MAX } from "../core/limits.ts";
import type { InboundAudio } from "./wire.ts";

/** The longest audio that the longest message can hold: four characters of base64 are three bytes. */
const COUNT_MAX = Math.floor(CARRIER_MESSAGE_BYTES_MAX / 4) * 3;

/** The place where a worker's wires leave what they decode; one serves all of its legs. */
export const createInboundAudio = (): InboundAudio => ({
  bytes: new Uint8Array(COUNT_MAX),
  samples: new Int16Array(COUNT_MAX),
  count: 0,
  timestampMs: Number.NaN,
});
