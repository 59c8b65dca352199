import type { SimulatedLine, SimulatedWire } from "../../src/simulator/lines.ts";

/** What the calls of a bench come over, where a wire leaves a choice. */
export const benchLine = (wire: SimulatedWire): SimulatedLine =>
  wire === "websocket" ? { wire, format: { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 16_000 } } : { wire };
