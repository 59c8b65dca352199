import { defineProvider } from "../../../provider-descriptor.ts";
import {
  addressVariable,
  apiKeyProblems,
  apiKeyVariable,
  httpAddressProblems,
  NO_API_KEY,
  trimmedAddress,
} from "../../../server-settings.ts";

const ADDRESS = "https://api.anthropic.com";

export const anthropicLlm = defineProvider({
  id: "anthropic",
  stage: "llm",
  capabilities: {
    connection: "http",
    // From platform.claude.com/docs/en/about-claude/models/overview.
    models: [
      [/^claude-(?:2\.0|instant)/, 100_000],
      [/^claude-/, 200_000],
    ],
  },
  prices: ["inputTokensMillion", "outputTokensMillion"],
  // From docs.anthropic.com/en/docs/claude-code/settings.
  foreignVariables: /^ANTHROPIC_(AUTH_TOKEN|([A-Z_]+_)?MODEL|(BEDROCK|VERTEX|FOUNDRY)_.+)$/,
  variables: {
    ANTHROPIC_API_KEY: apiKeyVariable("Anthropic (LLM)"),
    ANTHROPIC_BASE_URL: addressVariable(ADDRESS, "the address of Anthropic"),
  },
  readSettings: ({ text }) => ({
    apiKey: text("ANTHROPIC_API_KEY") || undefined,
    baseUrl: trimmedAddress(text("ANTHROPIC_BASE_URL")),
  }),
  problems: ({ apiKey, baseUrl }) => [
    ...apiKeyProblems(
      "ANTHROPIC_API_KEY",
      apiKey,
      baseUrl === ADDRESS ? "must be set with anthropic:<model>" : undefined,
    ),
    ...httpAddressProblems("ANTHROPIC_BASE_URL", baseUrl),
  ],
  create: async ({ apiKey = NO_API_KEY, baseUrl }, { model }) =>
    (await import("./adapter.ts")).createAnthropicLlm({ model, apiKey, baseUrl }),
});
