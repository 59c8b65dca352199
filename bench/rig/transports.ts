import { MULAW_CODECS } from "../../src/simulator/carriers/carrier.ts";
import type { SimulatedWire, Transport } from "../../src/simulator/transports.ts";

/** What the calls of a bench come over, wire by wire, where a wire leaves a choice. */
export const BENCH_TRANSPORTS: Readonly<Record<SimulatedWire, Transport>> = {
  carrier_a: { wire: "carrier_a" },
  carrier_b: { wire: "carrier_b", codecs: MULAW_CODECS },
  carrier_c: { wire: "carrier_c" },
  websocket: { wire: "websocket", format: { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 16_000 } },
};
