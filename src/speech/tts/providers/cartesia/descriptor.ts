import { defineProvider } from "../../../provider-descriptor.ts";
import {
  addressVariable,
  apiKeyProblems,
  apiKeyVariable,
  httpAddressProblems,
  modelVariable,
  trimmedAddress,
} from "../../../server-settings.ts";

export const cartesiaTts = defineProvider({
  id: "cartesia",
  stage: "tts",
  capabilities: { connection: "websocket" },
  prices: ["charactersThousand"],
  variables: {
    CARTESIA_API_KEY: apiKeyVariable("Cartesia (TTS)"),
    CARTESIA_MODEL: modelVariable("sonic-3.5", "Cartesia"),
    CARTESIA_URL: addressVariable("https://api.cartesia.ai", "the address of Cartesia"),
  },
  readSettings: ({ text }) => ({
    apiKey: text("CARTESIA_API_KEY"),
    model: text("CARTESIA_MODEL"),
    url: trimmedAddress(text("CARTESIA_URL")),
  }),
  problems: ({ apiKey, url }) => [
    ...apiKeyProblems("CARTESIA_API_KEY", apiKey || undefined, "is required with TTS=cartesia"),
    ...httpAddressProblems("CARTESIA_URL", url),
  ],
  create: async (settings, { clock }) => (await import("./adapter.ts")).createCartesiaTts({ ...settings, clock }),
});
