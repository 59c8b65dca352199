import type { ModelName } from "../core/calls/spec.ts";
import type { Clock } from "../core/clock.ts";
import { TrunklineError } from "../core/errors.ts";
import { AccountSpeech } from "./account-speech.ts";
import type { CallLlm, CallStt, TtsPool } from "./contracts.ts";
import { createLlms } from "./llm/create.ts";
import type { LocalSpeech, LocalSpeechSettings } from "./local/jobs.ts";
import { ToolChooserClient } from "./reference/tools/chooser-client.ts";
import { circuitBreakerObserver, type SpeechMetrics } from "./resilience/circuit-breaker-log.ts";
import { circuitBreakers } from "./resilience/circuit-breakers.ts";
import { localSpeechSettings, type SpeechConfig, speechConfigProblems } from "./settings.ts";
import { sharedProviders } from "./shared-providers.ts";
import { createStt } from "./stt/create.ts";
import { localSettingsOf } from "./stt/providers/local/descriptor.ts";
import { TtsCache } from "./tts/cache.ts";
import { createTts } from "./tts/create.ts";

/** The speech providers of one process, shared by its calls. */
export interface SpeechProviders {
  stt: CallStt;
  tts: TtsPool;
  llm: Readonly<Record<ModelName, CallLlm>>;
  /** See `AccountSpeech.providersFor`. */
  forAccount: AccountSpeech["providersFor"];
  /** The processes with the turn model; undefined where none is configured. */
  turnModel: LocalSpeech | undefined;
  /** Stops the providers' processes and connections. Every request after it fails. */
  close(): void;
}

/** The log of `createSpeechProviders`. */
interface WarningLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Imports and creates the providers that a configuration names. Rejects with TrunklineError `bad_configuration`, before
 * anything is started, with all of its problems: each names the variable, the bad value and the valid ones. Local speech models are
 * children of this process, unless `openSpeech` reaches those of another one.
 */
export async function createSpeechProviders(
  config: SpeechConfig,
  clock: Clock,
  log: WarningLog,
  metrics?: SpeechMetrics,
  openSpeech: OpenLocalSpeech = speechOfThisProcess(clock, log),
): Promise<SpeechProviders> {
  const { stt, models, providers, contextSizes } = config;
  const problems = speechConfigProblems(config);
  if (problems.length > 0) {
    throw new TrunklineError("bad_configuration", "caller", `bad configuration:\n  ${problems.join("\n  ")}`);
  }
  const circuitBreakersOf = circuitBreakers(config.streamsMax, clock, circuitBreakerObserver(log, metrics));
  // Those of accounts are the same adapters, unless the account has an API key of its own.
  const shared = {
    stt: sharedProviders(providers.stt, () => ""),
    llm: sharedProviders(providers.llm, ({ model }) => model),
    tts: sharedProviders(providers.tts, () => ""),
  };
  const cache = new TtsCache();
  const ttsOptions = { listsVoicesOnly: false, clock, onProcessFailure: processFailureLog(log) };
  const circuitBreakerOf = circuitBreakersOf("tts");
  const tts = await createTts(config.tts, { ...ttsOptions, configured: shared.tts, circuitBreakerOf, cache });
  const toolChooser = new ToolChooserClient({
    clock,
    log,
    count: (outcome) => metrics?.budgetedTask("reference_llm", outcome),
  });
  let localSpeech: Promise<LocalSpeech> | undefined;
  const openLocalSpeech = (): Promise<LocalSpeech> => {
    localSpeech ??= openSpeech(localSettingsOf(providers.stt));
    return localSpeech;
  };
  const hasTurnModel = localSpeechSettings(config)?.turnModelPath !== undefined;
  const accountSpeech = new AccountSpeech({
    config: { ...config, providers: shared },
    cache,
    ttsOptions,
    circuitBreakersOf,
    clock,
    log,
    metrics,
    openLocalSpeech,
    toolChooser,
  });
  return {
    stt: await createStt(stt, shared.stt, circuitBreakersOf("stt"), clock, openLocalSpeech),
    turnModel: hasTurnModel ? await openLocalSpeech() : undefined,
    tts,
    llm: await createLlms(models, shared.llm, contextSizes, circuitBreakersOf("llm"), clock, toolChooser),
    forAccount: (account, model) => accountSpeech.providersFor(account, model),
    close() {
      tts.close();
      void localSpeech?.then((opened) => opened.close());
      void toolChooser.close();
    },
  };
}

/** Opens the local speech models with these settings. */
export type OpenLocalSpeech = (settings: LocalSpeechSettings) => Promise<LocalSpeech>;

/** Local speech models in children of this process, for programs that have no speech process. */
const speechOfThisProcess =
  (clock: Clock, log: WarningLog): OpenLocalSpeech =>
  async (settings) =>
    (await import("./local/pool/open.ts")).openSpeechPool(settings, clock, log);

/**
 * Imports and creates the TTS providers of a configuration without problems, for the list of their voices: none starts
 * more processes than that needs.
 */
export const createVoiceLists = (
  { tts, providers, streamsMax }: SpeechConfig,
  clock: Clock,
  log: WarningLog,
): Promise<Pick<TtsPool, "voices" | "unlistedProviders" | "close">> =>
  createTts(tts, {
    configured: providers.tts,
    listsVoicesOnly: true,
    clock,
    onProcessFailure: processFailureLog(log),
    circuitBreakerOf: circuitBreakers(streamsMax, clock, circuitBreakerObserver(log, undefined))("tts"),
  });

const processFailureLog =
  (log: WarningLog) =>
  (provider: string, detail: string): void =>
    log.warn({ provider, detail }, "eSpeak process failed");
