import { codeOf } from "../../core/errors.ts";
import { loggableError } from "../../core/log/logger.ts";
import type { WorkerMetrics } from "../../core/metrics/worker-metrics.ts";
import type { CircuitBreakerObserver } from "./circuit-breaker.ts";

/** The metrics of a worker that count the failures and switches of providers. */
export type SpeechMetrics = Pick<
  WorkerMetrics,
  "registerProvider" | "providerFailed" | "providerCircuitChanged" | "budgetedTask"
>;

interface WarningLog {
  warn(fields: object, message: string): void;
}

/** Logs and counts failures of providers and changes of their circuit breakers. */
export function circuitBreakerObserver(log: WarningLog, metrics: SpeechMetrics | undefined): CircuitBreakerObserver {
  return {
    registered: (stage, provider) => metrics?.registerProvider(stage, provider),
    failed(stage, provider, error) {
      log.warn({ stage, provider, code: codeOf(error), ...loggableError(error) }, "provider failed");
      metrics?.providerFailed(stage, provider);
    },
    circuitChanged(stage, provider, isOpen) {
      log.warn({ stage, provider }, isOpen ? "circuit breaker opened" : "circuit breaker closed");
      metrics?.providerCircuitChanged(stage, provider, isOpen);
    },
  };
}
