import { defineProvider } from "../../../provider-descriptor.ts";
import {
  addressVariable,
  apiKeyProblems,
  apiKeyVariable,
  httpAddressProblems,
  modelVariable,
  trimmedAddress,
} from "../../../server-settings.ts";

export const elevenLabsTts = defineProvider({
  id: "elevenlabs",
  stage: "tts",
  capabilities: { connection: "websocket" },
  prices: ["charactersThousand"],
  variables: {
    ELEVENLABS_API_KEY: apiKeyVariable("ElevenLabs (TTS)"),
    ELEVENLABS_MODEL: modelVariable("eleven_flash_v2_5", "ElevenLabs"),
    ELEVENLABS_URL: addressVariable("https://api.elevenlabs.io", "the address of ElevenLabs"),
  },
  readSettings: ({ text }) => ({
    apiKey: text("ELEVENLABS_API_KEY"),
    model: text("ELEVENLABS_MODEL"),
    url: trimmedAddress(text("ELEVENLABS_URL")),
  }),
  problems: ({ apiKey, url }) => [
    ...apiKeyProblems("ELEVENLABS_API_KEY", apiKey || undefined, "is required with TTS=elevenlabs"),
    ...httpAddressProblems("ELEVENLABS_URL", url),
  ],
  create: async (settings, { clock }) => (await import("./adapter.ts")).createElevenLabsTts({ ...settings, clock }),
});
