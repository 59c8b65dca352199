import { defineProvider } from "../../../provider-descriptor.ts";
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
  create: async (settings, deps) =>
    (await import("../../../reference/tts.ts")).createReferenceTts(poolOptions(settings, deps)),
});
