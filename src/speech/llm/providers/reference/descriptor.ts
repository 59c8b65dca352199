import { defineProvider } from "../../../provider-descriptor.ts";
import { createReferenceLlm } from "../../../reference/llm.ts";

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
  create: (_settings, { toolChooser }) => createReferenceLlm(toolChooser),
});
