import type { SimulatedWire, Transport } from "../../src/simulator/transports.ts";

/** What the calls of a bench come over, where a wire leaves a choice. */
export const benchTransport = (wire: SimulatedWire): Transport =>
  wire === "websocket" ? { wire, format: { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 16_000 } } : { wire };
