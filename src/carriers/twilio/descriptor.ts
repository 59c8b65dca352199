import type { CarrierDescriptor } from "../descriptor.ts";
import { isSignedByTwilio, TWILIO_HEADERS } from "./signature.ts";
import { TWILIO_TELEPHONY } from "./telephony.ts";
import { CALL_ID_FIELD, createTwilioWire, WIRE } from "./wire.ts";

export const TWILIO: CarrierDescriptor<typeof WIRE> = {
  connectionType: WIRE,
  callIdField: CALL_ID_FIELD,
  secret: {
    variable: "CARRIER_A_AUTH_TOKEN",
    meaning:
      "carrier_a's auth token: upgrades must carry its signature (`X-Twilio-Signature`) over the URL that begins with " +
      "`PUBLIC_MEDIA_URL`",
    signsUrl: true,
  },
  signature: { headers: TWILIO_HEADERS, isAuthentic: isSignedByTwilio },
  telephony: TWILIO_TELEPHONY,
  createWire: createTwilioWire,
  loadSimulated: async () => (await import("./simulated.ts")).simulateTwilio,
};
