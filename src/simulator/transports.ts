import type { ConnectionType, StreamCodec, StreamFormat } from "../core/calls/spec.ts";
import type { OpusCodecs } from "../media/opus/codecs.ts";
import type { AudioFormats } from "./audio/format.ts";
import { type CarrierCodecs, type CarrierOptions, carrierFormats, MULAW_CODECS } from "./carriers/carrier.ts";
import { SimulatedPlivo } from "./carriers/plivo.ts";
import { SimulatedTelnyx } from "./carriers/telnyx.ts";
import { SimulatedTwilio } from "./carriers/twilio.ts";
import type { SimulatedPeer } from "./peers/peer.ts";
import { type ServiceMessage, streamFormats, WebsocketClient } from "./peers/websocket-client.ts";

/** The transports that can be simulated. */
export const SIMULATED_WIRES = [
  "carrier_a",
  "carrier_b",
  "carrier_c",
  "websocket",
] as const satisfies readonly ConnectionType[];
export type SimulatedWire = (typeof SIMULATED_WIRES)[number];

/** The transport of a call; carrier_b and a WebSocket client have options. */
export type Transport =
  | { wire: "carrier_a" | "carrier_c" }
  | { wire: "carrier_b"; codecs: CarrierCodecs /** As in SimulatedTelnyxOptions. */; shuffleSeed?: number }
  | { wire: "websocket"; format: StreamFormat /** As in WebsocketClientOptions. */; shuffleSeed?: number };

/** The formats that the caller's microphone and earphone use. */
export const formatsOf = (transport: Transport): AudioFormats =>
  transport.wire === "websocket" ? streamFormats(transport.format) : carrierFormats(carrierCodecs(transport));

/** The codecs of both directions by the API's names, from the service's side. */
export function codecsOf(transport: Transport): { inbound: StreamCodec; outbound: StreamCodec } {
  if (transport.wire !== "websocket") return carrierCodecs(transport);
  return { inbound: transport.format.codec, outbound: transport.format.codec };
}

const carrierCodecs = (transport: Exclude<Transport, { wire: "websocket" }>): CarrierCodecs =>
  transport.wire === "carrier_b" ? transport.codecs : MULAW_CODECS;

/** Options that any of the peers needs. */
export interface AnyPeerOptions extends Omit<CarrierOptions, "send"> {
  /** For a transport whose codec is `opus`. */
  opus: OpusCodecs;
  send(message: string | Uint8Array): void;
  onServiceMessage(message: ServiceMessage): void;
}

/** The peer of the service on `transport`. */
export function simulatePeer(transport: Transport, ends: AnyPeerOptions): SimulatedPeer {
  switch (transport.wire) {
    case "carrier_a":
      return new SimulatedTwilio(ends);
    case "carrier_b": {
      const { codecs, shuffleSeed } = transport;
      return new SimulatedTelnyx({ ...ends, codecs, ...(shuffleSeed === undefined ? {} : { shuffleSeed }) });
    }
    case "carrier_c":
      return new SimulatedPlivo(ends);
    case "websocket": {
      const { format, shuffleSeed } = transport;
      return new WebsocketClient({ ...ends, format, ...(shuffleSeed === undefined ? {} : { shuffleSeed }) });
    }
  }
}
