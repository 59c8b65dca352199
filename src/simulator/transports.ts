import type { ConnectionType, StreamCodec, StreamFormat } from "../core/calls/spec.ts";
import type { OpusCodecs } from "../media/opus/codecs.ts";
import type { AudioFormats } from "./audio/format.ts";
import { type CarrierCodecs, type CarrierOptions, carrierFormats, MULAW_CODECS } from "./carriers/carrier.ts";
import { SimulatedPlivo } from "./carriers/plivo.ts";
import { SimulatedTelnyx } from "./carriers/telnyx.ts";
import { SimulatedTwilio } from "./carriers/twilio.ts";
import type { SimulatedPeer } from "./peers/peer.ts";
import { type ServiceMessage, streamFormats, WebsocketClient } from "./peers/websocket-client.ts";

/** The transports that can be played here. */
export const SIMULATED_WIRES = [
  "carrier_a",
  "carrier_b",
  "carrier_c",
  "websocket",
] as const satisfies readonly ConnectionType[];
export type SimulatedWire = (typeof SIMULATED_WIRES)[number];

/** What a call comes over, and how; carrier_b and a WebSocket client leave a choice. */
export type Transport =
  | { wire: "carrier_a" | "carrier_c" }
  | { wire: "carrier_b"; codecs: CarrierCodecs /** As in CarrierBOptions. */; shuffleSeed?: number }
  | { wire: "websocket"; format: StreamFormat /** As in WebsocketClientOptions. */; shuffleSeed?: number };

/** What the person at this end speaks and hears. */
export const formatsOf = (line: Transport): AudioFormats =>
  line.wire === "websocket" ? streamFormats(line.format) : carrierFormats(carrierCodecs(line));

/** How audio travels, by the API's names, from the service's side. */
export function codecsOf(line: Transport): { inbound: StreamCodec; outbound: StreamCodec } {
  if (line.wire !== "websocket") return carrierCodecs(line);
  return { inbound: line.format.codec, outbound: line.format.codec };
}

const carrierCodecs = (line: Exclude<Transport, { wire: "websocket" }>): CarrierCodecs =>
  line.wire === "carrier_b" ? line.codecs : MULAW_CODECS;

/** What any of the peers needs. */
export interface AnyPeerOptions extends Omit<CarrierOptions, "send"> {
  /** For a line whose codec is `opus`. */
  opus: OpusCodecs;
  send(message: string | Uint8Array): void;
  onServiceMessage(message: ServiceMessage): void;
}

/** The far end of `line`, as the service sees it. */
export function simulatePeer(line: Transport, ends: AnyPeerOptions): SimulatedPeer {
  switch (line.wire) {
    case "carrier_a":
      return new SimulatedTwilio(ends);
    case "carrier_b": {
      const { codecs, shuffleSeed } = line;
      return new SimulatedTelnyx({ ...ends, codecs, ...(shuffleSeed === undefined ? {} : { shuffleSeed }) });
    }
    case "carrier_c":
      return new SimulatedPlivo(ends);
    case "websocket": {
      const { format, shuffleSeed } = line;
      return new WebsocketClient({ ...ends, format, ...(shuffleSeed === undefined ? {} : { shuffleSeed }) });
    }
  }
}
