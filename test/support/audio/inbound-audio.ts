import { mediaMs } from "../../../src/core/clocks.ts";
import { CARRIER_MESSAGE_BYTES_MAX } from "../../../src/core/limits/streams/messages.ts";
import type { InboundAudio } from "../../../src/wire/wire.ts";

/** A place for what a wire decodes, with room for `countMax` samples: by default more than any message can hold. */
export const inboundAudio = (countMax = CARRIER_MESSAGE_BYTES_MAX): InboundAudio => ({
  bytes: new Uint8Array(countMax),
  samples: new Int16Array(countMax),
  count: 0,
  timestampMs: mediaMs(Number.NaN),
  isDtx: false,
  chunk: Number.NaN,
});
