import type { CallSpec, StreamFormat } from "../../../src/core/calls/spec.ts";
import type { SimulatedLine } from "../../../src/simulator/lines.ts";

/** The lines of golden calls, by the name of the folder that their journals lie in. */
export const GOLDEN_LINES = {
  carrier_a: { wire: "carrier_a" },
  carrier_b: { wire: "carrier_b", codecs: { inbound: "mulaw", outbound: "mulaw" } },
  carrier_b_alaw: { wire: "carrier_b", codecs: { inbound: "alaw", outbound: "alaw" } },
  /** Two codecs, and audio that arrives out of order. */
  carrier_b_shuffled: { wire: "carrier_b", codecs: { inbound: "alaw", outbound: "mulaw" }, shuffleSeed: 5 },
  carrier_c: { wire: "carrier_c" },
  websocket: { wire: "websocket", format: { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 16_000 } },
  websocket_mulaw: { wire: "websocket", format: { codec: "mulaw", inputRateHz: 8_000, outputRateHz: 8_000 } },
  websocket_alaw: { wire: "websocket", format: { codec: "alaw", inputRateHz: 8_000, outputRateHz: 8_000 } },
  websocket_opus: { wire: "websocket", format: { codec: "opus", inputRateHz: 16_000, outputRateHz: 24_000 } },
  /** Resampled both ways, in messages that keep to no frame. */
  websocket_shuffled: {
    wire: "websocket",
    format: { codec: "pcm_s16le", inputRateHz: 48_000, outputRateHz: 24_000 },
    shuffleSeed: 5,
  },
} as const satisfies Readonly<Record<string, SimulatedLine>>;

export type GoldenLine = keyof typeof GOLDEN_LINES;
export const GOLDEN_LINE_NAMES = Object.keys(GOLDEN_LINES) as GoldenLine[];

/** One line of each wire: those on which every kind of call is recorded. */
export const EVERY_WIRE: readonly GoldenLine[] = ["carrier_a", "carrier_b", "carrier_c", "websocket"];

/** What a call over the line is created with. */
export function specOf(line: SimulatedLine): Pick<CallSpec, "connectionType" | "websocket"> {
  if (line.wire !== "websocket") return { connectionType: line.wire };
  const websocket: StreamFormat = { ...line.format };
  return { connectionType: "websocket", websocket };
}
