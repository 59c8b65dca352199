import type { CarrierDescriptor } from "../descriptor.ts";
import { isSignedByPlivo, PLIVO_HEADERS } from "./signature.ts";
import { PLIVO_TELEPHONY } from "./telephony.ts";
import { CALL_ID_FIELD, createPlivoWire, WIRE } from "./wire.ts";

export const PLIVO: CarrierDescriptor<typeof WIRE> = {
  connectionType: WIRE,
  callIdField: CALL_ID_FIELD,
  secret: {
    variable: "CARRIER_C_AUTH_TOKEN",
    meaning: "carrier_c's auth token: upgrades must carry its signature (`X-Plivo-Signature-V3`)",
    signsUrl: true,
  },
  signature: { headers: PLIVO_HEADERS, isAuthentic: isSignedByPlivo },
  telephony: PLIVO_TELEPHONY,
  createWire: createPlivoWire,
  loadSimulated: async () => (await import("./simulated.ts")).simulatePlivo,
};
