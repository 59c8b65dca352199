import type { CarrierDescriptor } from "../descriptor.ts";
import { isFromTelnyx, TELNYX_HEADERS } from "./signature.ts";
import { TELNYX_TELEPHONY } from "./telephony.ts";
import { CALL_ID_FIELD, createTelnyxWire, WIRE } from "./wire.ts";

export const TELNYX: CarrierDescriptor<typeof WIRE> = {
  connectionType: WIRE,
  callIdField: CALL_ID_FIELD,
  secret: {
    variable: "CARRIER_B_STREAM_AUTH_TOKEN",
    meaning: "the `stream_auth_token` that streams are ordered with: upgrades must carry it",
    signsUrl: false,
  },
  outboundCodec: {
    variable: "CARRIER_B_OUTBOUND_CODEC",
    meaning: "the codec that carrier_b expects from us; with the wrong codec the caller hears noise",
  },
  signature: { headers: TELNYX_HEADERS, isAuthentic: isFromTelnyx },
  telephony: TELNYX_TELEPHONY,
  createWire: createTelnyxWire,
  loadSimulated: async () => (await import("./simulated.ts")).simulateTelnyx,
};
