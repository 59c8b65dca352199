import { defineProvider } from "../../../provider-descriptor.ts";
import { ESPEAK_VARIABLES, poolOptions, readEspeakSettings } from "./settings.ts";

export const espeakTts = defineProvider({
  id: "espeak",
  stage: "tts",
  capabilities: {},
  prices: ["charactersThousand"],
  variables: ESPEAK_VARIABLES,
  readSettings: readEspeakSettings,
  problems: () => [],
  create: async (settings, deps) => (await import("./adapter.ts")).createEspeak(poolOptions(settings, deps)),
});
