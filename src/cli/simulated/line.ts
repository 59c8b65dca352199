import type { ConnectionType, StreamCodec, StreamFormat } from "../../core/call-spec.ts";
import type { OpusCodecs } from "../../media/opus.ts";
import type { LineFormats } from "./audio-format.ts";
import { type CarrierOptions, carrierFormats, type LineCodecs, MU_LAW_LINE } from "./carrier.ts";
import { CarrierA } from "./carrier-a.ts";
import { CarrierB } from "./carrier-b.ts";
import { CarrierC } from "./carrier-c.ts";
import type { SimulatedPeer } from "./peer.ts";
import { type ServiceMessage, streamFormats, WebsocketClient } from "./websocket-client.ts";

/** The transports that can be played here. */
export const SIMULATED_WIRES = [
  "carrier_a",
  "carrier_b",
  "carrier_c",
  "websocket",
] as const satisfies readonly ConnectionType[];
export type SimulatedWire = (typeof SIMULATED_WIRES)[number];

/** What a call comes over, and how; carrier_b and a WebSocket client leave a choice. */
export type Line =
  | { wire: "carrier_a" | "carrier_c" }
  | { wire: "carrier_b"; codecs: LineCodecs /** As in CarrierBOptions. */; shuffleSeed?: number }
  | { wire: "websocket"; format: StreamFormat /** As in WebsocketClientOptions. */; shuffleSeed?: number };

/** What the person at this end speaks and hears. */
export const formatsOf = (line: Line): LineFormats =>
  line.wire === "websocket" ? streamFormats(line.format) : carrierFormats(carrierCodecs(line));

/** How audio travels, by the API's names, from the service's side. */
export function codecsOf(line: Line): { inbound: StreamCodec; outbound: StreamCodec } {
  if (line.wire !== "websocket") return carrierCodecs(line);
  return { inbound: line.format.codec, outbound: line.format.codec };
}

const carrierCodecs = (line: Exclude<Line, { wire: "websocket" }>): LineCodecs =>
  line.wire === "carrier_b" ? line.codecs : MU_LAW_LINE;

/** What any of the peers needs. */
export interface LineEnds extends Omit<CarrierOptions, "send"> {
  /** For a line whose codec is `opus`. */
  opus: OpusCodecs;
  send(message: string | Uint8Array): void;
  told(message: ServiceMessage): void;
}

/** The far end of `line`, as the service sees it. */
export function simulatePeer(line: Line, ends: LineEnds): SimulatedPeer {
  switch (line.wire) {
    case "carrier_a":
      return new CarrierA(ends);
    case "carrier_b": {
      const { codecs, shuffleSeed } = line;
      return new CarrierB({ ...ends, codecs, ...(shuffleSeed === undefined ? {} : { shuffleSeed }) });
    }
    case "carrier_c":
      return new CarrierC(ends);
    case "websocket": {
      const { format, shuffleSeed } = line;
      return new WebsocketClient({ ...ends, format, ...(shuffleSeed === undefined ? {} : { shuffleSeed }) });
    }
  }
}
