import type { ModelName } from "../core/calls/spec.ts";
import type { Stage } from "../core/calls/stages.ts";
import type { Clock } from "../core/clock.ts";
import { TrunklineError } from "../core/errors.ts";
import type { CallLlm, CallStt, TtsPool } from "./contracts.ts";
import { createLlms } from "./llm/create.ts";
import type { LocalSpeech, LocalSpeechSettings } from "./local/jobs.ts";
import { ToolChooserClient } from "./reference/tools/chooser-client.ts";
import { CircuitBreaker } from "./resilience/circuit-breaker.ts";
import { circuitBreakerObserver, type SpeechMetrics } from "./resilience/circuit-breaker-log.ts";
import { localSpeechSettings, type SpeechConfig, speechConfigProblems } from "./settings.ts";
import { createStt } from "./stt/create.ts";
import { localSettingsOf } from "./stt/providers/local/descriptor.ts";
import { createTts } from "./tts/create.ts";

/** The speech providers of one process, shared by its calls. */
export interface SpeechProviders {
  stt: CallStt;
  tts: TtsPool;
  llm: Readonly<Record<ModelName, CallLlm>>;
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
  const circuitBreakersOf = circuitBreakers(config, clock, log, metrics);
  const tts = await createTtsPool(config, clock, log, circuitBreakersOf("tts"), false);
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
  return {
    stt: await createStt(stt, providers.stt, circuitBreakersOf("stt"), clock, openLocalSpeech),
    turnModel: hasTurnModel ? await openLocalSpeech() : undefined,
    tts,
    llm: await createLlms(models, providers.llm, contextSizes, circuitBreakersOf("llm"), clock, toolChooser),
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
  config: SpeechConfig,
  clock: Clock,
  log: WarningLog,
): Promise<Pick<TtsPool, "voices" | "unlistedProviders" | "close">> =>
  createTtsPool(config, clock, log, circuitBreakers(config, clock, log)("tts"), true);

const createTtsPool = (
  { tts, providers }: SpeechConfig,
  clock: Clock,
  log: WarningLog,
  circuitBreakerOf: (provider: string) => CircuitBreaker,
  listsVoicesOnly: boolean,
): Promise<TtsPool> =>
  createTts(tts, {
    configured: providers.tts,
    listsVoicesOnly,
    clock,
    onProcessFailure: (provider, detail) => log.warn({ provider, detail }, "eSpeak process failed"),
    circuitBreakerOf,
  });

/** The circuit breakers of a stage's providers: one for each provider, shared by all its models. */
function circuitBreakers(
  { streamsMax }: SpeechConfig,
  clock: Clock,
  log: WarningLog,
  metrics?: SpeechMetrics,
): (stage: Stage) => (provider: string) => CircuitBreaker {
  const breakers = new Map<string, CircuitBreaker>();
  const observer = circuitBreakerObserver(log, metrics);
  return (stage) => (provider) => {
    const id = `${stage} ${provider}`;
    const max = streamsMax[provider] ?? Number.POSITIVE_INFINITY;
    const breaker = breakers.get(id) ?? new CircuitBreaker({ stage, provider, streamsMax: max, clock, observer });
    breakers.set(id, breaker);
    return breaker;
  };
}
