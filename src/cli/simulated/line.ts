import type { ConnectionType } from "../../core/call-spec.ts";
import { type CarrierOptions, type LineCodecs, MU_LAW_LINE, type SimulatedCarrier } from "./carrier.ts";
import { CarrierA } from "./carrier-a.ts";
import { CarrierB } from "./carrier-b.ts";
import { CarrierC } from "./carrier-c.ts";

/** The transports that can be played here. */
export const SIMULATED_WIRES = ["carrier_a", "carrier_b", "carrier_c"] as const satisfies readonly ConnectionType[];
export type SimulatedWire = (typeof SIMULATED_WIRES)[number];

/** Which carrier a call comes over, and how; only carrier_b leaves a choice. */
export type Line =
  | { wire: "carrier_a" | "carrier_c" }
  | { wire: "carrier_b"; codecs: LineCodecs /** As in CarrierBOptions. */; shuffleSeed?: number };

export const codecsOf = (line: Line): LineCodecs => (line.wire === "carrier_b" ? line.codecs : MU_LAW_LINE);

/** The carrier's own end of `line`. */
export function simulateCarrier(line: Line, options: CarrierOptions): SimulatedCarrier {
  switch (line.wire) {
    case "carrier_a":
      return new CarrierA(options);
    case "carrier_b": {
      const { codecs, shuffleSeed } = line;
      return new CarrierB({ ...options, codecs, ...(shuffleSeed === undefined ? {} : { shuffleSeed }) });
    }
    case "carrier_c":
      return new CarrierC(options);
  }
}
