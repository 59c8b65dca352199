import { defineProvider } from "../../../provider-descriptor.ts";

export const referenceStt = defineProvider({
  id: "reference",
  stage: "stt",
  capabilities: {
    testInstrument: "that decodes the reference TTS and does not understand people",
    // It decodes only the reference TTS: no transcript of a person's speech is no failure.
    needsNoFallback: true,
  },
  variables: {},
  readSettings: () => ({}),
  problems: () => [],
  create: async () => (await import("../../../reference/stt.ts")).createReferenceStt(),
  createBatch: async () => (await import("../../../reference/batch-stt.ts")).createReferenceBatchStt(),
});
