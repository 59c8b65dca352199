import type { ModelName } from "../core/calls/spec.ts";
import type { Stage } from "../core/calls/stages.ts";
import type { Clock } from "../core/clock.ts";
import { TrunklineError } from "../core/errors.ts";
import type { CallLlm, CallStt, TtsPool } from "./contracts.ts";
import { createLlms } from "./llm/create.ts";
import { ToolChooserClient } from "./reference/tools/chooser-client.ts";
import { CircuitBreaker } from "./resilience/circuit-breaker.ts";
import { circuitBreakerObserver, type SpeechMetrics } from "./resilience/circuit-breaker-log.ts";
import { type SpeechConfig, speechConfigProblems } from "./settings.ts";
import { createStt } from "./stt/create.ts";
import { createTts } from "./tts/create.ts";

/** The speech providers of one process, shared by its calls. */
export interface SpeechProviders {
  stt: CallStt | undefined;
  tts: TtsPool;
  llm: Readonly<Record<ModelName, CallLlm>>;
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
 * anything is started, with all of its problems: each names the variable, the bad value and the valid ones. With
 * `listsVoicesOnly` no provider starts more processes than the list of its voices needs.
 */
export async function createSpeechProviders(
  config: SpeechConfig,
  clock: Clock,
  log: WarningLog,
  { metrics, listsVoicesOnly = false }: { metrics?: SpeechMetrics; listsVoicesOnly?: boolean } = {},
): Promise<SpeechProviders> {
  const { stt, tts, models, providers, contextSizes, streamsMax } = config;
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
  const closableTts = await createTts(tts, {
    configured: providers.tts,
    listsVoicesOnly,
    clock,
    onProcessFailure: (provider, detail) => log.warn({ provider, detail }, "eSpeak process failed"),
    circuitBreakerOf: (provider) => circuitBreakerOf("tts", provider),
  });
  const toolChooser = new ToolChooserClient({
    clock,
    log,
    count: (outcome) => metrics?.budgetedTask("reference_llm", outcome),
  });
  const sttOf = (names: string): Promise<CallStt> =>
    createStt(names, providers.stt, (provider) => circuitBreakerOf("stt", provider), clock);
  const breakerOfLlm = (provider: string): CircuitBreaker => circuitBreakerOf("llm", provider);
  return {
    stt: stt === undefined ? undefined : await sttOf(stt),
    tts: closableTts,
    llm: await createLlms(models, providers.llm, contextSizes, breakerOfLlm, clock, toolChooser),
    close() {
      closableTts.close();
      void toolChooser.close();
    },
  };
}
