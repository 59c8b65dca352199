import { strict as assert } from "node:assert";
import { CARRIER_NAMES, CARRIERS, type CarrierName } from "../carriers/list.ts";
import type { StreamCodec, StreamFormat } from "../core/calls/spec.ts";
import type { OpusCodecs } from "../media/opus/codecs.ts";
import type { AudioFormats } from "./audio/format.ts";
import { type CarrierCodecs, type CarrierOptions, carrierFormats, MULAW_CODECS } from "./peers/carrier.ts";
import type { SimulatedPeer } from "./peers/peer.ts";
import { type ServiceMessage, streamFormats, WebsocketClient } from "./peers/websocket-client.ts";

/** The transports that can be simulated. */
export type SimulatedWire = CarrierName | "websocket";
export const SIMULATED_WIRES: readonly SimulatedWire[] = [...CARRIER_NAMES, "websocket"];

/** The transport of a call. */
export type Transport =
  | {
      wire: CarrierName;
      /** Mu-law in both directions by default. */
      codecs?: CarrierCodecs;
      /** As in CarrierPeerOptions. */
      shuffleSeed?: number;
    }
  | { wire: "websocket"; format: StreamFormat /** As in WebsocketClientOptions. */; shuffleSeed?: number };

/** The formats that the caller's microphone and earphone use. */
export const formatsOf = (transport: Transport): AudioFormats =>
  transport.wire === "websocket" ? streamFormats(transport.format) : carrierFormats(carrierCodecs(transport));

/** The codecs of both directions by the API's names, from the service's side. */
export function codecsOf(transport: Transport): { inbound: StreamCodec; outbound: StreamCodec } {
  if (transport.wire !== "websocket") return carrierCodecs(transport);
  return { inbound: transport.format.codec, outbound: transport.format.codec };
}

export const carrierCodecs = ({ codecs = MULAW_CODECS }: Exclude<Transport, { wire: "websocket" }>): CarrierCodecs =>
  codecs;

/** Options that any of the peers needs. */
interface AnyPeerOptions extends Omit<CarrierOptions, "send"> {
  /** For a transport whose codec is `opus`. */
  opus: OpusCodecs;
  send(message: string | Uint8Array): void;
  onServiceMessage(message: ServiceMessage): void;
}

// Only programs that simulate callers load the carriers' peers: a descriptor is read by every process.
const SIMULATE = new Map(
  await Promise.all(
    CARRIERS.map(async ({ connectionType, loadSimulated }) => [connectionType, await loadSimulated()] as const),
  ),
);

/** The peer of the service on `transport`. */
export function simulatePeer(transport: Transport, ends: AnyPeerOptions): SimulatedPeer {
  const { shuffleSeed } = transport;
  const shuffled = shuffleSeed === undefined ? {} : { shuffleSeed };
  if (transport.wire === "websocket") return new WebsocketClient({ ...ends, format: transport.format, ...shuffled });
  const simulate = SIMULATE.get(transport.wire);
  assert.ok(simulate !== undefined, "every carrier has a simulated peer");
  return simulate({ ...ends, codecs: carrierCodecs(transport), ...shuffled });
}
