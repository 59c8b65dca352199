import { defineProvider } from "../../../provider-descriptor.ts";
import {
  addressVariable,
  apiKeyProblems,
  apiKeyVariable,
  httpAddressProblems,
  NO_API_KEY,
  trimmedAddress,
} from "../../../server-settings.ts";

const ADDRESS = "https://generativelanguage.googleapis.com";

export const geminiLlm = defineProvider({
  id: "gemini",
  stage: "llm",
  capabilities: {
    connection: "http",
    // From ai.google.dev/gemini-api/docs/models.
    models: [
      [/^gemini-1\.0/, 32_768],
      [/^gemini-/, 1_048_576],
    ],
  },
  prices: ["inputTokensMillion", "outputTokensMillion"],
  // From github.com/google-gemini/gemini-cli.
  foreignVariables: /^GEMINI_MODEL$/,
  variables: {
    GEMINI_API_KEY: apiKeyVariable("Gemini (LLM)"),
    GEMINI_BASE_URL: addressVariable(ADDRESS, "the address of Gemini"),
  },
  readSettings: ({ text }) => ({
    apiKey: text("GEMINI_API_KEY") || undefined,
    baseUrl: trimmedAddress(text("GEMINI_BASE_URL")),
  }),
  problems: ({ apiKey, baseUrl }) => [
    ...apiKeyProblems("GEMINI_API_KEY", apiKey, baseUrl === ADDRESS ? "must be set with gemini:<model>" : undefined),
    ...httpAddressProblems("GEMINI_BASE_URL", baseUrl),
  ],
  create: async ({ apiKey = NO_API_KEY, baseUrl }, { model }) =>
    (await import("./adapter.ts")).createGeminiLlm({ model, apiKey, baseUrl }),
});
