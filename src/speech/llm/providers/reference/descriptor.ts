import { defineProvider } from "../../../provider-descriptor.ts";

export const referenceLlm = defineProvider({
  id: "reference",
  stage: "llm",
  capabilities: {
    testInstrument: "which answers by rule from the prompt and holds no conversation",
    // It runs in this process.
    needsNoFallback: true,
  },
  prices: ["inputTokensMillion", "outputTokensMillion"],
  variables: {},
  readSettings: () => ({}),
  problems: () => [],
  create: async (_settings, { toolChooser }) =>
    (await import("../../../reference/llm.ts")).createReferenceLlm(toolChooser),
});
