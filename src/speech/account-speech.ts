import { createHash } from "node:crypto";
import type { AccountProviders } from "../core/accounts/account-providers.ts";
import { allows } from "../core/accounts/account-settings.ts";
import type { ModelName } from "../core/calls/spec.ts";
import type { Stage } from "../core/calls/stages.ts";
import { canonicalJson } from "../core/canonical-json.ts";
import type { Clock } from "../core/clock.ts";
import { unavailable } from "../core/errors.ts";
import { accountBreakers, type BreakersByStage, withKeys } from "./account-breakers.ts";
import { AccountCache } from "./account-cache.ts";
import type { CallLlm, CallStt, TtsPool } from "./contracts.ts";
import { createLlms } from "./llm/create.ts";
import type { SttDeps } from "./provider-descriptor.ts";
import { namesIn } from "./provider-registry.ts";
import type { ToolChooser } from "./reference/tools/chooser.ts";
import type { SpeechMetrics } from "./resilience/circuit-breaker-log.ts";
import type { SpeechConfig } from "./settings.ts";
import { createStt } from "./stt/create.ts";
import type { TtsCache } from "./tts/cache.ts";
import { createTts, type TtsOptions } from "./tts/create.ts";

/** The providers of one call. */
export interface CallProviders {
  stt: CallStt;
  llm: CallLlm;
  tts: Pick<TtsPool, "forVoice">;
}

export interface AccountSpeechOptions {
  /** A valid configuration, whose providers share their adapters. */
  config: SpeechConfig;
  /** The service's; audio that was made with an account's own API key stays with that. */
  cache: TtsCache;
  ttsOptions: Pick<TtsOptions, "listsVoicesOnly" | "clock" | "onProcessFailure">;
  /** The service's own. */
  circuitBreakersOf: BreakersByStage;
  clock: Clock;
  log: { warn(fields: object, message: string): void };
  metrics: SpeechMetrics | undefined;
  openLocalSpeech: SttDeps["openLocalSpeech"];
  toolChooser: ToolChooser;
}

/**
 * The providers of accounts that may not use all of them, or that have API keys of their own. Adapters with such an API key
 * have their own circuit breakers: an invalid key of one account keeps no other from the provider. Streams with it do not
 * count against the limits of the service's own account at the provider.
 */
export class AccountSpeech {
  readonly #options: AccountSpeechOptions;
  readonly #providers = new AccountCache<CallProviders>();

  constructor(options: AccountSpeechOptions) {
    this.#options = options;
  }

  /**
   * The providers of a call of an account with `model`. Rejects with `unavailable` when the account may use none of the
   * configured ones in some stage. Calls that differ in nothing share them.
   */
  providersFor(account: AccountProviders, model: ModelName): Promise<CallProviders> {
    return this.#providers.get([account, model], () => this.#create(account, model));
  }

  async #create({ allowed, credentials = {} }: AccountProviders, model: ModelName): Promise<CallProviders> {
    const { config, cache, ttsOptions, clock, openLocalSpeech, toolChooser } = this.#options;
    const { stt, tts, models, contextSizes, providers } = config;
    const breakersOf = accountBreakers({ ...this.#options, providers }, credentials);
    const listOf = (stage: Stage, given: string): string => {
      const names = namesIn(given).filter((name) => allows(allowed, stage, providerIn(name)));
      if (names.length === 0) throw unavailable(`the account may use no configured ${stage} provider`);
      return names.join();
    };
    const llms = listOf("llm", models[model]);
    const [callStt, { [model]: llm }, callTts] = await Promise.all([
      createStt(listOf("stt", stt), withKeys(providers.stt, credentials), breakersOf("stt"), clock, openLocalSpeech),
      createLlms(
        { model_a: llms, model_b: llms, model_c: llms },
        withKeys(providers.llm, credentials),
        contextSizes,
        breakersOf("llm"),
        clock,
        toolChooser,
      ),
      createTts(listOf("tts", tts), {
        ...ttsOptions,
        configured: withKeys(providers.tts, credentials),
        circuitBreakerOf: breakersOf("tts"),
        cache: cache.scopedTo(scopeOf(credentials)),
      }),
    ]);
    return { stt: callStt, llm, tts: callTts };
  }
}

/** The provider in the configured name of an LLM, `provider:model`, or of any other provider. */
const providerIn = (name: string): string => name.split(":", 1)[0] ?? name;

/** Empty for the service's own API keys. */
const scopeOf = (credentials: Readonly<Record<string, string>>): string =>
  Object.keys(credentials).length === 0 ? "" : createHash("sha256").update(canonicalJson(credentials)).digest("base64");
