import type { ModelName } from "../core/calls/spec.ts";
import type { Stage } from "../core/calls/stages.ts";
import type { Clock } from "../core/clock.ts";
import { TrunklineError } from "../core/errors.ts";
import type { Llm, Stt, Tts } from "./contracts.ts";
import type { ContextSizes } from "./llm/context-sizes.ts";
import { createLlms } from "./llm/registry.ts";
import { LLM_PROVIDERS, type LlmSettings, llmProblems } from "./llm/settings.ts";
import { ToolChooserClient } from "./reference/tools/chooser-client.ts";
import { CircuitBreaker } from "./resilience/circuit-breaker.ts";
import { circuitBreakerObserver, type SpeechMetrics } from "./resilience/circuit-breaker-log.ts";
import { createStt } from "./stt/registry.ts";
import { STT_PROVIDERS, type SttSettings, sttProblems } from "./stt/settings.ts";
import { createTts, TTS_PROVIDERS, ttsProblems } from "./tts/registry.ts";
import type { TtsSettings } from "./tts/settings.ts";

/** The part of the configuration that chooses speech providers. */
export interface SpeechConfig {
  /** STT providers in order of failover, separated by commas; undefined when none is configured. */
  stt: string | undefined;
  sttSettings: SttSettings;
  /**
   * TTS providers, separated by commas. The voices of all are offered. The first is used where a voice's id names none
   * of them; when one fails, the others replace it in this order.
   */
  tts: string;
  ttsSettings: TtsSettings;
  /**
   * Each is `reference`, or a provider and its model, `openai:gpt-4o-mini`; or several, in order of failover, with
   * commas.
   */
  models: Readonly<Record<ModelName, string>>;
  llmSettings: LlmSettings;
  /** Context sizes of models, by `provider:model`, where the operator sets them. */
  contextSizes: ContextSizes;
  /** How many eSpeak processes to run. */
  espeakProcesses: number;
  /**
   * Concurrent streams per provider, for each stage and in each process; a provider that is not listed has no limit.
   */
  streamsMax: Readonly<Record<string, number>>;
}

/** The speech providers of one process, shared by its calls. */
export interface SpeechProviders {
  stt: Stt | undefined;
  tts: Tts;
  llm: Readonly<Record<ModelName, Llm>>;
  /** Stops the providers' processes and connections. Every request after it fails. */
  close(): void;
}

/** The log of `createSpeechProviders`. */
interface WarningLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The names of all providers. */
export const PROVIDER_NAMES: readonly string[] = [
  ...new Set([...STT_PROVIDERS, ...LLM_PROVIDERS, ...TTS_PROVIDERS]),
].sort();

/** The problems of a configuration's speech providers: each names the variable, the bad value and the valid ones. */
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

/**
 * Creates the providers that a configuration names. Throws TrunklineError `bad_configuration`, before anything is
 * started, with all of its problems: each names the variable, the bad value and the valid ones.
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
  const breakers = new Map<string, CircuitBreaker>();
  const observer = circuitBreakerObserver(log, metrics);
  /** The circuit breaker of a provider: one for each stage, shared by all its models. */
  const circuitBreakerOf = (stage: Stage, provider: string): CircuitBreaker => {
    const id = `${stage} ${provider}`;
    const max = streamsMax[provider] ?? Number.POSITIVE_INFINITY;
    const breaker = breakers.get(id) ?? new CircuitBreaker({ stage, provider, streamsMax: max, clock, observer });
    breakers.set(id, breaker);
    return breaker;
  };
  const closableTts = createTts(tts, {
    settings: ttsSettings,
    espeakProcesses,
    clock,
    onProcessFailure: (provider, detail) => log.warn({ provider, detail }, "eSpeak process failed"),
    circuitBreakerOf: (provider) => circuitBreakerOf("tts", provider),
  });
  const toolChooser = new ToolChooserClient({
    clock,
    log,
    count: (outcome) => metrics?.budgetedTask("reference_llm", outcome),
  });
  const sttOf = (names: string): Stt =>
    createStt(names, sttSettings, (provider) => circuitBreakerOf("stt", provider), clock);
  const breakerOfLlm = (provider: string): CircuitBreaker => circuitBreakerOf("llm", provider);
  return {
    stt: stt === undefined ? undefined : sttOf(stt),
    tts: closableTts,
    llm: createLlms(models, llmSettings, contextSizes, breakerOfLlm, clock, toolChooser),
    close() {
      closableTts.close();
      void toolChooser.close();
    },
  };
}
