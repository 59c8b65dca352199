import { AggregatorRegistry, type Registry } from "prom-client";

/** All metrics of one process with their values, as prom-client returns them. They are sent between processes as JSON. */
export type ProcessMetrics = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** The aggregated metrics of the workers. */
export interface WorkersMetrics {
  /** All metrics of the workers that answered, and the counters of those that did not answer or have exited, in the Prometheus text format. */
  exposition: string;
  /** How many workers answered, and how many are connected but did not. */
  up: number;
  silent: number;
}

/**
 * Sums over the workers, past and present. Counters and histograms never decrease: a worker that does not answer, has
 * disconnected or has exited counts with its last values. Gauges are those of the workers that answer.
 */
export class MetricsAggregator {
  readonly #last = new Map<string, ProcessMetrics>();
  /** The last values of all lost workers, partly merged. The array is never changed, only replaced. */
  #ofLostWorkers: readonly ProcessMetrics[] = [];

  /** A worker exited or disconnected. Its last values count, although they miss what happened since its last answer. */
  workerLost(workerId: string): void {
    const last = this.#last.get(workerId);
    if (last === undefined) return;
    this.#last.delete(workerId);
    this.#ofLostWorkers = [...this.#ofLostWorkers, withoutGauges(last)];
  }

  /** `answers` has an entry for each connected worker; undefined for one that did not answer. */
  async aggregate(answers: ReadonlyMap<string, ProcessMetrics | undefined>): Promise<WorkersMetrics> {
    for (const [workerId, metrics] of answers) if (metrics !== undefined) this.#last.set(workerId, metrics);
    const sum = [...this.#last].map(([workerId, last]) => answers.get(workerId) ?? withoutGauges(last));
    const up = [...answers.values()].filter((metrics) => metrics !== undefined).length;
    const ofLostWorkers = this.#ofLostWorkers;
    const readings = ofLostWorkers.length === 0 ? [] : [await aggregated(ofLostWorkers).getMetricsAsJSON()];
    // Unless another worker was lost meanwhile.
    if (this.#ofLostWorkers === ofLostWorkers) this.#ofLostWorkers = readings;
    return { exposition: await aggregated([...readings, ...sum]).metrics(), up, silent: answers.size - up };
  }
}

/** Aggregates each metric by its own `aggregator`, a sum by default. */
const aggregated = (readings: readonly ProcessMetrics[]): Registry => AggregatorRegistry.aggregate([...readings]);

const withoutGauges = (metrics: ProcessMetrics): ProcessMetrics =>
  metrics.filter(({ type }) => String(type) === "counter" || String(type) === "histogram");
