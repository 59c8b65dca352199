import { primaryLanguage } from "../../../../core/text/language-tags.ts";
import { defineProvider } from "../../../provider-descriptor.ts";
import {
  addressVariable,
  apiKeyProblems,
  apiKeyVariable,
  modelVariable,
  NO_API_KEY,
  trimmedAddress,
} from "../../../server-settings.ts";
import { streamingAddressProblems } from "../streaming-address.ts";
import { fluxLanguages } from "./languages.ts";

const ADDRESS = "wss://api.deepgram.com/v2/listen";
/** Only here a turn can be ended on request (developers.deepgram.com/docs/flux/force-end-turn). */
const DEEPGRAM_HOST = /(?:^|\.)deepgram\.com$/;

export const fluxStt = defineProvider({
  id: "flux",
  accountOf: "deepgram",
  stage: "stt",
  capabilities: { connection: "websocket" },
  variables: {
    DEEPGRAM_API_KEY: apiKeyVariable("Deepgram (STT)"),
    FLUX_MODEL: modelVariable("flux-general-multi", "Deepgram Flux"),
    FLUX_URL: addressVariable(
      ADDRESS,
      "the address of Deepgram Flux; query parameters in it override those that the service would send (`?eot_threshold=0.8`)",
    ),
  },
  readSettings: ({ text }) => ({
    apiKey: text("DEEPGRAM_API_KEY") || undefined,
    model: text("FLUX_MODEL"),
    url: trimmedAddress(text("FLUX_URL")),
  }),
  problems: ({ apiKey, url }) => [
    ...apiKeyProblems("DEEPGRAM_API_KEY", apiKey, url === ADDRESS ? "must be set with STT=flux" : undefined),
    ...streamingAddressProblems("FLUX_URL", url),
  ],
  servesLanguage: ({ model, url }, language) =>
    fluxLanguages(new URL(url).searchParams.get("model") ?? model).includes(primaryLanguage(language)),
  create: async ({ apiKey = NO_API_KEY, model, url }, { clock }) =>
    (await import("./adapter.ts")).createFluxStt({
      apiKey,
      model,
      url,
      endsTurnsOnRequest: DEEPGRAM_HOST.test(new URL(url).hostname),
      clock,
    }),
});
