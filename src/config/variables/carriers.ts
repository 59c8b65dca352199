import type { Variables } from "../../core/configuration/variable.ts";

const SECRETS = "printable ASCII; several, separated by commas, for the time of a change";

/** What proves that a stream comes from a carrier, and what the carrier expects. */
export const CARRIER_VARIABLES = {
  CARRIER_A_AUTH_TOKEN: {
    format: SECRETS,
    meaning:
      "carrier_a's auth token: upgrades must carry its signature (`X-Twilio-Signature`) over the URL that begins with " +
      "`PUBLIC_MEDIA_URL`",
  },
  CARRIER_B_STREAM_AUTH_TOKEN: {
    format: SECRETS,
    meaning: "the `stream_auth_token` that streams are ordered with: upgrades must carry it",
  },
  CARRIER_C_AUTH_TOKEN: {
    format: SECRETS,
    meaning: "carrier_c's auth token: upgrades must carry its signature (`X-Plivo-Signature-V3`)",
  },
  CARRIER_B_OUTBOUND_CODEC: {
    default: "pcmu",
    oneOf: ["pcmu", "pcma"],
    meaning: "the codec that carrier_b expects from us; with the wrong codec the caller hears noise",
  },
} as const satisfies Variables;
