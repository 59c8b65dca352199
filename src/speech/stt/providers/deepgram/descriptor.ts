import { defineProvider } from "../../../provider-descriptor.ts";
import { apiKeyProblems, apiKeyVariable, modelVariable, NO_API_KEY, trimmedAddress } from "../../../server-settings.ts";
import { streamingAddressProblems, streamingAddressVariable } from "../streaming-address.ts";
import { transcribesLanguage } from "./languages.ts";

const ADDRESS = "wss://api.deepgram.com/v1/listen";
/** Flux has an address and messages of its own. */
const FLUX_MODEL = /^flux-/;

export const deepgramStt = defineProvider({
  id: "deepgram",
  stage: "stt",
  capabilities: { connection: "websocket" },
  variables: {
    DEEPGRAM_API_KEY: apiKeyVariable("Deepgram (STT)"),
    DEEPGRAM_MODEL: modelVariable("nova-3", "Deepgram"),
    DEEPGRAM_URL: streamingAddressVariable(ADDRESS, "Deepgram"),
  },
  readSettings: ({ text }) => ({
    apiKey: text("DEEPGRAM_API_KEY") || undefined,
    model: text("DEEPGRAM_MODEL"),
    url: trimmedAddress(text("DEEPGRAM_URL")),
  }),
  problems: ({ apiKey, model, url }) => [
    ...apiKeyProblems("DEEPGRAM_API_KEY", apiKey, url === ADDRESS ? "must be set with STT=deepgram" : undefined),
    ...streamingAddressProblems("DEEPGRAM_URL", url),
    ...(FLUX_MODEL.test(model)
      ? [`DEEPGRAM_MODEL must be a model of /v1/listen, not ${JSON.stringify(model)}: Flux is STT=flux with FLUX_MODEL`]
      : []),
  ],
  servesLanguage: ({ model, url }, language) => {
    const query = new URL(url).searchParams;
    return transcribesLanguage(query.get("model") ?? model, language, query.get("language"));
  },
  create: async ({ apiKey = NO_API_KEY, model, url }, { clock }) =>
    (await import("./adapter.ts")).createDeepgramStt({ apiKey, model, url, clock }),
  createBatch: async ({ apiKey = NO_API_KEY, model, url }) =>
    (await import("./batch.ts")).createDeepgramBatchStt({ apiKey, model, url }),
});
