import type { CarrierDescriptor } from "../descriptor.ts";
import { isSignedByTwilio, TWILIO_HEADERS } from "./signature.ts";
import { createTwilioWire } from "./wire.ts";

export const TWILIO: CarrierDescriptor<"carrier_a"> = {
  connectionType: "carrier_a",
  callIdField: "callSid",
  secret: {
    variable: "CARRIER_A_AUTH_TOKEN",
    meaning:
      "carrier_a's auth token: upgrades must carry its signature (`X-Twilio-Signature`) over the URL that begins with " +
      "`PUBLIC_MEDIA_URL`",
    signsUrl: true,
  },
  signature: { headers: TWILIO_HEADERS, isAuthentic: isSignedByTwilio },
  createWire: createTwilioWire,
  loadSimulated: async () => (await import("./simulated.ts")).simulateTwilio,
};
