import { defineProvider } from "../../../provider-descriptor.ts";
import { apiKeyProblems, apiKeyVariable, modelVariable, NO_API_KEY, trimmedAddress } from "../../../server-settings.ts";
import { streamingAddressProblems, streamingAddressVariable } from "../streaming-address.ts";
import { transcribesLanguage } from "./languages.ts";

const ADDRESS = "wss://streaming.assemblyai.com/v3/ws";

export const assemblyAiStt = defineProvider({
  id: "assemblyai",
  stage: "stt",
  capabilities: { connection: "websocket" },
  variables: {
    ASSEMBLYAI_API_KEY: apiKeyVariable("AssemblyAI (STT)"),
    ASSEMBLYAI_MODEL: modelVariable("universal-3-6-pro", "AssemblyAI"),
    ASSEMBLYAI_URL: streamingAddressVariable(ADDRESS, "AssemblyAI"),
  },
  readSettings: ({ text }) => ({
    apiKey: text("ASSEMBLYAI_API_KEY") || undefined,
    model: text("ASSEMBLYAI_MODEL"),
    url: trimmedAddress(text("ASSEMBLYAI_URL")),
  }),
  problems: ({ apiKey, url }) => [
    ...apiKeyProblems("ASSEMBLYAI_API_KEY", apiKey, url === ADDRESS ? "must be set with STT=assemblyai" : undefined),
    ...streamingAddressProblems("ASSEMBLYAI_URL", url),
  ],
  servesLanguage: ({ model, url }, language) =>
    transcribesLanguage(new URL(url).searchParams.get("speech_model") ?? model, language),
  create: async ({ apiKey = NO_API_KEY, model, url }, { clock }) =>
    (await import("./adapter.ts")).createAssemblyAiStt({ apiKey, model, url, clock }),
  createBatch: async ({ apiKey = NO_API_KEY, url }, { clock }) =>
    (await import("./batch.ts")).createAssemblyAiBatchStt({ apiKey, url, clock }),
});
