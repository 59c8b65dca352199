import { strict as assert } from "node:assert";
import { CARRIER_NAMES, CARRIERS, type CarrierName } from "../carriers/list.ts";
import type { StreamCodec, StreamFormat } from "../core/calls/spec.ts";
import type { OpusCodecs } from "../media/opus/codecs.ts";
import type { AudioFormats } from "./audio/format.ts";
import { type CarrierCodecs, type CarrierOptions, carrierFormats, MULAW_CODECS } from "./peers/carrier.ts";
import type { SimulatedPeer } from "./peers/peer.ts";
import { type ServiceMessage, streamFormats, WebsocketClient } from "./peers/websocket-client.ts";

/** The wires that can be simulated. */
export type SimulatedWire = CarrierName | "websocket";
export const SIMULATED_WIRES: readonly SimulatedWire[] = [...CARRIER_NAMES, "websocket"];

/** What connects a simulated caller to the service: a wire, and what it leaves open. */
export type SimulatedLine =
  | {
      wire: CarrierName;
      /** Mu-law in both directions by default. */
      codecs?: CarrierCodecs;
      /** As in CarrierPeerOptions. */
      shuffleSeed?: number;
      /** As in CarrierOptions. */
      parameters?: Readonly<Record<string, string>>;
    }
  | { wire: "websocket"; format: StreamFormat /** As in WebsocketClientOptions. */; shuffleSeed?: number };

/** The formats that the caller's microphone and earphone use. */
export const formatsOf = (line: SimulatedLine): AudioFormats =>
  line.wire === "websocket" ? streamFormats(line.format) : carrierFormats(carrierCodecs(line));

/** The codecs of both directions by the API's names, from the service's side. */
export function codecsOf(line: SimulatedLine): { inbound: StreamCodec; outbound: StreamCodec } {
  if (line.wire !== "websocket") return carrierCodecs(line);
  return { inbound: line.format.codec, outbound: line.format.codec };
}

export const carrierCodecs = ({
  codecs = MULAW_CODECS,
}: Exclude<SimulatedLine, { wire: "websocket" }>): CarrierCodecs => codecs;

/** Options that any of the peers needs. */
interface AnyPeerOptions extends Omit<CarrierOptions, "send"> {
  /** For a line whose codec is `opus`. */
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

/** The peer of the service on `line`. */
export function simulatePeer(line: SimulatedLine, ends: AnyPeerOptions): SimulatedPeer {
  const { shuffleSeed } = line;
  const shuffled = shuffleSeed === undefined ? {} : { shuffleSeed };
  if (line.wire === "websocket") return new WebsocketClient({ ...ends, format: line.format, ...shuffled });
  const simulate = SIMULATE.get(line.wire);
  assert.ok(simulate !== undefined, "every carrier has a simulated peer");
  const given = line.parameters === undefined ? {} : { parameters: line.parameters };
  return simulate({ ...ends, codecs: carrierCodecs(line), ...shuffled, ...given });
}
