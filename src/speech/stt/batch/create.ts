import type { AccountProviders } from "../../../core/accounts/account-providers.ts";
import { allows } from "../../../core/accounts/account-settings.ts";
import type { Clock } from "../../../core/clock.ts";
import { TrunklineError, unavailable } from "../../../core/errors.ts";
import { accountBreakers, withKeys } from "../../account-breakers.ts";
import { AccountCache } from "../../account-cache.ts";
import type { LocalSpeech } from "../../local/jobs.ts";
import { namesIn } from "../../provider-registry.ts";
import type { OpenLocalSpeech } from "../../registry.ts";
import { circuitBreakerObserver, type SpeechMetrics } from "../../resilience/circuit-breaker-log.ts";
import { circuitBreakers } from "../../resilience/circuit-breakers.ts";
import { type SpeechConfig, speechConfigProblems } from "../../settings.ts";
import { sharedProviders } from "../../shared-providers.ts";
import { localSettingsOf } from "../providers/local/descriptor.ts";
import type { AccountBatchStt, BatchRequest } from "./contract.ts";
import { type BatchCandidate, FallbackBatchStt } from "./fallback.ts";

export interface BatchProvidersOptions {
  config: SpeechConfig;
  clock: Clock;
  log: { warn(fields: object, message: string): void };
  metrics?: SpeechMetrics;
  /** Opened when the first recording needs the local model. */
  openSpeech: OpenLocalSpeech;
}

/** What is asked of all parts of a recording. */
export type BatchNeeds = Pick<BatchRequest, "language" | "speakers">;

/** The batch providers of one process. */
export interface BatchProviders {
  /**
   * The providers that STT names, in its order, which the account may use and which serve `needs`, with the API keys of the account.
   * Rejects with `unavailable` when none does. Calls that differ in nothing share them.
   */
  forAccount(account: AccountProviders, needs: BatchNeeds): Promise<AccountBatchStt>;
  /** Closes the local speech models. */
  close(): void;
}

/** Creates the batch providers of a configuration. Throws `bad_configuration` with all of its problems. */
export function createBatchProviders({
  config,
  clock,
  log,
  metrics,
  openSpeech,
}: BatchProvidersOptions): BatchProviders {
  const problems = speechConfigProblems(config);
  if (problems.length > 0) {
    throw new TrunklineError("bad_configuration", "caller", `bad configuration:\n  ${problems.join("\n  ")}`);
  }
  const circuitBreakersOf = circuitBreakers(config.streamsMax, clock, circuitBreakerObserver(log, metrics));
  const stt = sharedProviders(config.providers.stt, () => "");
  let localSpeech: Promise<LocalSpeech> | undefined;
  const openLocalSpeech = (): Promise<LocalSpeech> => {
    localSpeech ??= openSpeech(localSettingsOf(stt));
    return localSpeech;
  };

  const candidatesOf = async ({ allowed, credentials = {} }: AccountProviders): Promise<BatchCandidate[]> => {
    const breakersOf = accountBreakers({ providers: { stt }, circuitBreakersOf, clock, log, metrics }, credentials);
    const configured = withKeys(stt, credentials);
    const candidates = namesIn(config.stt)
      .filter((name) => allows(allowed, "stt", name))
      .map(async (name): Promise<BatchCandidate[]> => {
        const provider = configured.get(name);
        const created = await provider?.createBatch({ clock, openLocalSpeech });
        if (provider === undefined || created === undefined) return [];
        const servesLanguage = (language: string): boolean => provider.servesLanguage(language);
        return [{ stt: created, circuitBreaker: breakersOf("stt")(name), servesLanguage }];
      });
    return (await Promise.all(candidates)).flat();
  };

  const shared = new AccountCache<BatchCandidate[]>();

  return {
    forAccount: async (account, needs) => {
      const serving = (await shared.get(account, () => candidatesOf(account))).filter((candidate) =>
        serves(candidate, needs),
      );
      if (serving.length > 0) return new FallbackBatchStt(serving, clock);
      throw unavailable(`no STT provider of the account transcribes recordings ${inWords(needs)}`);
    },
    close: () => void localSpeech?.then((opened) => opened.close()),
  };
}

function serves(
  { stt: { capabilities }, servesLanguage }: BatchCandidate,
  { language, speakers }: BatchNeeds,
): boolean {
  if (speakers && capabilities.speakersPartMsMax === undefined) return false;
  return language === "auto" ? capabilities.detectsLanguage : servesLanguage(language);
}

function inWords({ language, speakers }: BatchNeeds): string {
  const which = language === "auto" ? "and detects their language" : `in ${language}`;
  return speakers ? `${which}, with speakers` : which;
}
