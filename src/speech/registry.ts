import type { ModelName } from "../core/calls/spec.ts";
import type { Clock } from "../core/clock.ts";
import { codeOf, TrunklineError } from "../core/errors.ts";
import { loggableError } from "../core/log/logger.ts";
import type { Stage, WorkerMetrics } from "../core/metrics/worker-metrics.ts";
import type { Llm, Stt, Tts } from "./contracts.ts";
import type { ContextSizes } from "./llm/context-sizes.ts";
import { createLlms, LLM_PROVIDERS, type LlmSettings, llmProblems } from "./llm/registry.ts";
import { ToolChooserClient } from "./reference/tools/chooser-client.ts";
import { CircuitBreaker, type CircuitBreakerObserver } from "./resilience/circuit-breaker.ts";
import { createStt, STT_PROVIDERS, type SttSettings, sttProblems } from "./stt/registry.ts";
import { createTts, TTS_PROVIDERS, ttsProblems } from "./tts/registry.ts";
import type { TtsSettings } from "./tts/settings.ts";

/** The part of the configuration that chooses engines. */
export interface SpeechConfig {
  /** The ears, separated by commas, each for when the one before it fails; undefined when none is configured. */
  stt: string | undefined;
  sttSettings: SttSettings;
  /**
   * The voices, separated by commas: all are offered, and the first speaks where a voice's id names none of them. Where one fails the
   * others speak in its place, in this order.
   */
  tts: string;
  ttsSettings: TtsSettings;
  /** Each `reference`, or a provider and its model, `openai:gpt-4o-mini`; or several of them, likewise. */
  models: Readonly<Record<ModelName, string>>;
  llmSettings: LlmSettings;
  /** The contexts of models, by `provider:model`, where the operator names them. */
  contextSizes: ContextSizes;
  /** How many programs the voice runs. */
  espeakProcesses: number;
  /** How many streams a provider may have at once, of each kind and in each process; any number where it is not named. */
  streamsMax: Readonly<Record<string, number>>;
}

/** The engines of one process, shared by its calls. */
export interface SpeechProviders {
  stt: Stt | undefined;
  tts: Tts;
  llm: Readonly<Record<ModelName, Llm>>;
  /** Ends what the engines keep running; after it they only fail. */
  close(): void;
}

/** What `createEngines` logs to. */
interface WarningLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The name of every provider that there is. */
export const PROVIDER_NAMES: readonly string[] = [
  ...new Set([...STT_PROVIDERS, ...LLM_PROVIDERS, ...TTS_PROVIDERS]),
].sort();

/** What is wrong with the engines that a configuration names: the variable, the name, and the names that there are. */
export function speechConfigProblems({
  stt,
  sttSettings,
  tts,
  ttsSettings,
  models,
  llmSettings,
  streamsMax,
}: Omit<SpeechConfig, "espeakProcesses" | "contextSizes">): string[] {
  const problems = stt === undefined ? [] : sttProblems(stt, sttSettings);
  problems.push(...ttsProblems(tts, ttsSettings));
  problems.push(...llmProblems(models, llmSettings));
  for (const name of Object.keys(streamsMax).filter((given) => !PROVIDER_NAMES.includes(given))) {
    problems.push(`PROVIDER_STREAMS_MAX must name any of ${PROVIDER_NAMES.join(", ")}, not ${JSON.stringify(name)}`);
  }
  return problems;
}

/** What of a worker's metrics is told of providers. */
export type SpeechMetrics = Pick<
  WorkerMetrics,
  "registerProvider" | "providerFailed" | "providerCircuitChanged" | "budgetedTask"
>;

/**
 * The engines that a configuration names. Throws TrunklineError `bad_configuration`, before anything is started, with every
 * name that there is no engine for, the variable it stands in and the names that there are.
 */
export function createSpeechProviders(
  config: SpeechConfig,
  clock: Clock,
  log: WarningLog,
  metrics?: SpeechMetrics,
): SpeechProviders {
  const { stt, sttSettings, tts, ttsSettings, models, llmSettings, contextSizes, espeakProcesses, streamsMax } = config;
  const problems = speechConfigProblems(config);
  if (problems.length > 0) {
    throw new TrunklineError("bad_configuration", "caller", `bad configuration:\n  ${problems.join("\n  ")}`);
  }
  const lines = new Map<string, CircuitBreaker>();
  const observer = circuitBreakerObserver(log, metrics);
  /** The line of a provider, which is one for all that needs it. */
  const lineOf = (stage: Stage, provider: string): CircuitBreaker => {
    const key = `${stage} ${provider}`;
    const max = streamsMax[provider] ?? Number.POSITIVE_INFINITY;
    const line = lines.get(key) ?? new CircuitBreaker({ stage, provider, streamsMax: max, clock, observer });
    lines.set(key, line);
    return line;
  };
  const voices = createTts(tts, {
    settings: ttsSettings,
    espeakProcesses,
    clock,
    onProcessFailure: (provider, why) => log.warn({ provider, why }, "eSpeak process failed"),
    circuitBreakerOf: (provider) => lineOf("tts", provider),
  });
  const planner = new ToolChooserClient({
    clock,
    log,
    count: (outcome) => metrics?.budgetedTask("reference_llm", outcome),
  });
  const ears = (named: string): Stt => createStt(named, sttSettings, (provider) => lineOf("stt", provider), clock);
  return {
    stt: stt === undefined ? undefined : ears(stt),
    tts: voices,
    llm: createLlms(models, llmSettings, contextSizes, (provider) => lineOf("llm", provider), clock, planner),
    close() {
      voices.close();
      void planner.close();
    },
  };
}

function circuitBreakerObserver(log: WarningLog, metrics: SpeechMetrics | undefined): CircuitBreakerObserver {
  return {
    registered: (engine, provider) => metrics?.registerProvider(engine, provider),
    failed(engine, provider, error) {
      log.warn({ engine, provider, code: codeOf(error), ...loggableError(error) }, "provider failed");
      metrics?.providerFailed(engine, provider);
    },
    circuitChanged(engine, provider, isLeftAlone) {
      log.warn({ engine, provider }, isLeftAlone ? "circuit breaker opened" : "circuit breaker closed");
      metrics?.providerCircuitChanged(engine, provider, isLeftAlone);
    },
  };
}
