import type { CallSpec, ConnectionType } from "../core/calls/spec.ts";
import type { G711Codec } from "../media/g711.ts";
import type { Wire } from "../wire/wire.ts";
import type { CarrierDescriptor } from "./descriptor.ts";
import { PLIVO } from "./plivo/descriptor.ts";
import { TELNYX } from "./telnyx/descriptor.ts";
import { TWILIO } from "./twilio/descriptor.ts";

/** All carriers. The API, the configuration, the simulator and the documentation list them in this order. */
export const CARRIERS = [TWILIO, TELNYX, PLIVO] as const;

/** The carriers' names in the API. */
export type CarrierName = (typeof CARRIERS)[number]["connectionType"];
export const CARRIER_NAMES: readonly CarrierName[] = CARRIERS.map(({ connectionType }) => connectionType);

const namesWhere = (can: (wire: Wire) => boolean): readonly ConnectionType[] =>
  CARRIERS.filter(({ createWire }) => can(createWire({ outboundCodec: "mulaw" }))).map(
    ({ connectionType }) => connectionType,
  );

/** The carriers whose streams have a message for DTMF to the telephone line. */
export const DTMF_MESSAGE_CARRIERS = namesWhere(({ encodeDtmf }) => encodeDtmf !== undefined);

/** The carriers whose audio and DTMF may arrive out of order. */
export const UNORDERED_CARRIERS = namesWhere(({ jitterBuffer }) => jitterBuffer !== undefined);

/** The carriers whose streams may have A-law. */
export const A_LAW_CARRIERS: readonly ConnectionType[] = CARRIERS.flatMap(({ connectionType, outboundCodec }) =>
  outboundCodec === undefined ? [] : [connectionType],
);

/** The connection types that a call may be prepared for. */
export const CONNECTION_TYPES: readonly ConnectionType[] = [...CARRIER_NAMES, "websocket", "webrtc"];

/**
 * The secrets of each carrier, each of which is valid: two during a rotation. None where no authentication is
 * configured.
 */
export type CarrierSecrets = Readonly<Partial<Record<CarrierName, readonly string[]>>>;

/** The codecs of outbound audio that carriers were configured to receive; mu-law for those without one. */
export type OutboundCodecs = Readonly<Partial<Record<CarrierName, G711Codec>>>;

/** The carrier of this connection type; undefined for the others. */
export const carrierOf = (connectionType: ConnectionType): CarrierDescriptor<CarrierName> | undefined =>
  CARRIERS.find((carrier) => carrier.connectionType === connectionType);

/** Whether the digits of an agent go to the telephone line as tones in its audio, because nothing else carries them there. */
export function sendsTones({
  connectionType,
  phoneControl,
}: Pick<CallSpec, "connectionType" | "phoneControl">): boolean {
  const carrier = carrierOf(connectionType);
  if (carrier === undefined || DTMF_MESSAGE_CARRIERS.includes(connectionType)) return false;
  return phoneControl === undefined || carrier.telephony.sendDtmf === undefined;
}
