import { defineProvider } from "../../../provider-descriptor.ts";
import { createEspeak } from "./adapter.ts";
import { ESPEAK_VARIABLES, poolOptions, readEspeakSettings } from "./settings.ts";

export const espeakTts = defineProvider({
  id: "espeak",
  stage: "tts",
  capabilities: {},
  prices: ["charactersThousand"],
  variables: ESPEAK_VARIABLES,
  readSettings: readEspeakSettings,
  problems: () => [],
  create: (settings, deps) => createEspeak(poolOptions(settings, deps)),
});
