import { defineProvider } from "../../../provider-descriptor.ts";
import { createReferenceTts } from "../../../reference/tts.ts";
import { ESPEAK_VARIABLES, poolOptions, readEspeakSettings } from "../espeak/settings.ts";

export const referenceTts = defineProvider({
  id: "reference",
  stage: "tts",
  capabilities: {
    testInstrument: "whose speech carries audible data for the reference STT",
    // The reference STT decodes it to the letter.
    speaksTextUnchanged: true,
  },
  prices: ["charactersThousand"],
  variables: ESPEAK_VARIABLES,
  readSettings: readEspeakSettings,
  problems: () => [],
  create: (settings, deps) => createReferenceTts(poolOptions(settings, deps)),
});
