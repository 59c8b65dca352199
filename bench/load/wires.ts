import { MU_LAW_LINE } from "../../src/cli/simulated/carrier.ts";
import type { Line, SimulatedWire } from "../../src/cli/simulated/line.ts";

/** What the calls of a bench come over, wire by wire, where a wire leaves a choice. */
export const BENCH_LINES: Readonly<Record<SimulatedWire, Line>> = {
  carrier_a: { wire: "carrier_a" },
  carrier_b: { wire: "carrier_b", codecs: MU_LAW_LINE },
  carrier_c: { wire: "carrier_c" },
  websocket: { wire: "websocket", format: { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 16_000 } },
};
