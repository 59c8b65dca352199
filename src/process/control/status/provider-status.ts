import type { Status } from "../../../api/status/schemas.ts";
import type { Stage } from "../../../core/calls/stages.ts";
import type { ProcessMetrics } from "../../../core/metrics/aggregation.ts";
import {
  CIRCUIT_OPEN_METRIC,
  PROVIDER_FAILURES_METRIC,
  PROVIDER_LATENCY_METRIC,
} from "../../../core/metrics/worker-metrics.ts";

type ProviderStatus = Status["providers"][number];

/** What the workers together know of a provider. */
interface Sum {
  readonly stage: Stage;
  readonly provider: string;
  openInWorkers: number;
  failures: number;
  answers: number;
  /** By their upper bound in seconds, how many responses took no longer. */
  readonly withinS: Map<number, number>;
}

/** The providers that workers have, in the order of the first worker. */
export function providersIn(answers: readonly ProcessMetrics[]): ProviderStatus[] {
  const sums = new Map<string, Sum>();
  for (const metrics of answers) {
    // The gauge has every configured provider; the others have more series, such as those of realtime providers.
    for (const { labels, value } of samplesOf(metrics, CIRCUIT_OPEN_METRIC)) {
      const key = keyOf(labels);
      const sum = sums.get(key) ?? newSum(labels);
      sum.openInWorkers += value;
      sums.set(key, sum);
    }
    for (const { labels, value } of samplesOf(metrics, PROVIDER_FAILURES_METRIC)) {
      const sum = sums.get(keyOf(labels));
      if (sum !== undefined) sum.failures += value;
    }
    for (const { labels, value, metricName } of samplesOf(metrics, PROVIDER_LATENCY_METRIC)) {
      const sum = sums.get(keyOf(labels));
      if (sum === undefined) continue;
      if (metricName === `${PROVIDER_LATENCY_METRIC}_count`) sum.answers += value;
      if (metricName !== `${PROVIDER_LATENCY_METRIC}_bucket`) continue;
      const boundS = labels.le === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels.le);
      sum.withinS.set(boundS, (sum.withinS.get(boundS) ?? 0) + value);
    }
  }
  return [...sums.values()].map(({ withinS, ...sum }) => ({
    ...sum,
    circuitBreaker: sum.openInWorkers > 0 ? "open" : "closed",
    medianDelayMs: quantileMs(withinS, sum.answers, 0.5),
    p95DelayMs: quantileMs(withinS, sum.answers, 0.95),
  }));
}

/** A value of a metric as prom-client has it, with the name of its series where the metric is a histogram. */
interface Sample {
  labels: Readonly<Record<string, string | number>>;
  value: number;
  metricName?: string;
}

const samplesOf = (metrics: ProcessMetrics, wanted: string): readonly Sample[] =>
  (metrics.find(({ name }) => name === wanted)?.values ?? []) as readonly Sample[];

const keyOf = ({ stage, provider }: Sample["labels"]): string => `${stage} ${provider}`;

const newSum = ({ stage, provider }: Sample["labels"]): Sum => ({
  stage: stage as Stage,
  provider: String(provider),
  openInWorkers: 0,
  failures: 0,
  answers: 0,
  withinS: new Map(),
});

/**
 * A quantile by the counts of a histogram: within a bucket values are taken for evenly distributed, and those above the last bound
 * for equal to it. Null without values.
 */
export function quantileMs(withinS: ReadonlyMap<number, number>, count: number, quantile: number): number | null {
  if (count === 0) return null;
  const rank = quantile * count;
  let [lowerS, below] = [0, 0];
  for (const [boundS, within] of [...withinS].sort(([one], [other]) => one - other)) {
    if (!Number.isFinite(boundS)) break;
    if (within >= rank && within > below) {
      return Math.round((lowerS + (boundS - lowerS) * ((rank - below) / (within - below))) * 1_000);
    }
    [lowerS, below] = [boundS, within];
  }
  return Math.round(lowerS * 1_000);
}
