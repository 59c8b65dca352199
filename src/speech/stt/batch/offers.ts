import type { Clock } from "../../../core/clock.ts";
import type { LocalSpeech } from "../../local/jobs.ts";
import { type ConfiguredProviders, namesIn } from "../../provider-registry.ts";
import { STT_REGISTRY } from "../registry.ts";
import type { BatchStt } from "./contract.ts";

/** What a provider can do with recordings. */
export interface BatchOffer {
  readonly provider: string;
  /** It is one of those that STT names. */
  readonly isConfigured: boolean;
  readonly capabilities: BatchStt["capabilities"];
  servesLanguage(language: string): boolean;
}

/** The models are those of another process. */
const OTHER_PROCESS: LocalSpeech = {
  submit: () => ({
    outcome: Promise.resolve({ outcome: "failed", reason: "this process transcribes nothing" }),
    raise: () => {},
    cancel: () => {},
  }),
  close: () => {},
};

/** What every provider of this version can do with recordings, with its settings. `stt` is the valid value of STT. */
export async function batchOffers(
  stt: string,
  configured: ConfiguredProviders<"stt">,
  clock: Clock,
): Promise<readonly BatchOffer[]> {
  const named = namesIn(stt);
  const offers = STT_REGISTRY.ids.map(async (name): Promise<BatchOffer[]> => {
    const provider = configured.get(name);
    const isConfigured = named.includes(name);
    // Settings of providers that are not used may have any problems.
    if (provider === undefined || (!isConfigured && provider.problems().length > 0)) return [];
    const created = await provider.createBatch({ clock, openLocalSpeech: async () => OTHER_PROCESS });
    if (created === undefined) return [];
    const { capabilities } = created;
    return [
      { provider: name, isConfigured, capabilities, servesLanguage: (language) => provider.servesLanguage(language) },
    ];
  });
  return (await Promise.all(offers)).flat();
}
