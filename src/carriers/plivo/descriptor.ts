import type { CarrierDescriptor } from "../descriptor.ts";
import { isSignedByPlivo, PLIVO_HEADERS } from "./signature.ts";
import { createPlivoWire } from "./wire.ts";

export const PLIVO: CarrierDescriptor<"carrier_c"> = {
  connectionType: "carrier_c",
  callIdField: "callId",
  secret: {
    variable: "CARRIER_C_AUTH_TOKEN",
    meaning: "carrier_c's auth token: upgrades must carry its signature (`X-Plivo-Signature-V3`)",
    signsUrl: true,
  },
  signature: { headers: PLIVO_HEADERS, isAuthentic: isSignedByPlivo },
  createWire: createPlivoWire,
  loadSimulated: async () => (await import("./simulated.ts")).simulatePlivo,
};
