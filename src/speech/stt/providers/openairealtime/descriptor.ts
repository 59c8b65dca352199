import { openAiCode } from "../../../openai-languages.ts";
import { defineProvider } from "../../../provider-descriptor.ts";
import {
  addressVariable,
  apiKeyProblems,
  apiKeyVariable,
  modelVariable,
  trimmedAddress,
} from "../../../server-settings.ts";
import { streamingAddressProblems } from "../streaming-address.ts";

const ADDRESS = "wss://api.openai.com/v1/realtime";

export const openAiRealtimeStt = defineProvider({
  id: "openairealtime",
  accountOf: "openai",
  stage: "stt",
  capabilities: { connection: "websocket" },
  variables: {
    OPENAI_STT_API_KEY: apiKeyVariable("an STT with OpenAI's API"),
    OPENAI_REALTIME_STT_MODEL: modelVariable("gpt-live-transcribe", "an STT with OpenAI's realtime API"),
    OPENAI_REALTIME_STT_URL: addressVariable(ADDRESS, "the address of OpenAI's realtime API"),
  },
  readSettings: ({ text }) => ({
    apiKey: text("OPENAI_STT_API_KEY") || undefined,
    model: text("OPENAI_REALTIME_STT_MODEL"),
    url: trimmedAddress(text("OPENAI_REALTIME_STT_URL")),
  }),
  problems: ({ apiKey, url }) => [
    ...apiKeyProblems(
      "OPENAI_STT_API_KEY",
      apiKey,
      url === ADDRESS ? "must be set with STT=openairealtime" : undefined,
    ),
    ...streamingAddressProblems("OPENAI_REALTIME_STT_URL", url),
  ],
  servesLanguage: (_settings, language) => openAiCode(language) !== undefined,
  create: async (settings, { clock }) => {
    const [{ createOpenAiRealtimeStt }, { loadResampler }] = await Promise.all([
      import("./adapter.ts"),
      import("../../../../media/resampler.ts"),
    ]);
    return createOpenAiRealtimeStt({ ...settings, clock, makeResampler: await loadResampler() });
  },
});
