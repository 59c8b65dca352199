import type { Variables } from "../../core/configuration/variable.ts";

/** What commands read, and the service does not. */
export const COMMAND_VARIABLES = {
  TRUNKLINE_URL: { format: "an `http://` or `https://` address", meaning: "the service to call" },
  TRUNKLINE_API_KEY: {
    format: "an API key of the service",
    meaning:
      "the API key for it. No command takes an API key as an argument, because other users of the machine can see command lines",
  },
  MEDIA_KEY: {
    format: "a key as base64url",
    meaning: "the key of an encrypted journal, which `npm run admin -- media-key` prints, for `npm run replay`",
  },
} as const satisfies Variables;
