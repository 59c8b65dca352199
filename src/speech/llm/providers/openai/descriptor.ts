import { defineProvider } from "../../../provider-descriptor.ts";
import {
  addressVariable,
  apiKeyProblems,
  apiKeyVariable,
  httpAddressProblems,
  NO_API_KEY,
  OPENAI_ADDRESS,
  trimmedAddress,
} from "../../../server-settings.ts";

export const openAiLlm = defineProvider({
  id: "openai",
  stage: "llm",
  capabilities: {
    connection: "http",
    // From platform.openai.com/docs/models.
    models: [
      [/^gpt-4\.1(?:-|$)/, 1_047_576],
      [/^(?:gpt-4o|chatgpt-4o|gpt-4-turbo|gpt-4-1106|gpt-4-0125|o1-mini|gpt-oss)/, 128_000],
      [/^gpt-4-32k/, 32_768],
      [/^gpt-4(?:-|$)/, 8_192],
      [/^gpt-3\.5/, 16_385],
      [/^o\d/, 200_000],
      [/^gpt-[5-9]/, 128_000],
    ],
  },
  prices: ["inputTokensMillion", "outputTokensMillion"],
  // From github.com/openai/openai-node.
  foreignVariables: /^OPENAI_ADMIN_KEY$/,
  variables: {
    OPENAI_API_KEY: apiKeyVariable("an LLM with OpenAI's API"),
    OPENAI_BASE_URL: addressVariable(OPENAI_ADDRESS, "any server with `/chat/completions`"),
  },
  readSettings: ({ text }) => ({
    apiKey: text("OPENAI_API_KEY") || undefined,
    baseUrl: trimmedAddress(text("OPENAI_BASE_URL")),
  }),
  problems: ({ apiKey, baseUrl }) => [
    ...apiKeyProblems(
      "OPENAI_API_KEY",
      apiKey,
      baseUrl === OPENAI_ADDRESS ? "must be set with openai:<model>" : undefined,
    ),
    ...httpAddressProblems("OPENAI_BASE_URL", baseUrl),
  ],
  create: async ({ apiKey = NO_API_KEY, baseUrl }, { model }) =>
    (await import("./adapter.ts")).createOpenAiLlm({ model, apiKey, baseUrl }),
});
