import { AggregatorRegistry, type Registry } from "prom-client";

/** All metrics of one process with their values, as the library gives them; they go from process to process as JSON. */
export type ProcessMetrics = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** What the workers of a service come to, whichever of them are there. */
export interface WorkersMetrics {
  /** Every metric of those that answered, and what was counted by those that did not or are gone; Prometheus's text format. */
  exposition: string;
  /** How many answered, and how many are there but did not. */
  up: number;
  silent: number;
}

/**
 * Sums over workers that come and go. What only grows (counters, histograms) goes on growing: a worker that is silent or gone counts
 * with what it told last, and so does one whose connection is gone until it is back or `workerGone` is said. What stands for a moment
 * (gauges) is that of the workers that answer.
 */
export class MetricsAggregator {
  readonly #last = new Map<string, ProcessMetrics>();
  /** Of all workers that are gone, in as many readings as have not been made one yet; never changed, only replaced. */
  #gone: readonly ProcessMetrics[] = [];

  /** A worker is gone, and what it told last (which is less than it did, by the time since) was its end. */
  workerGone(workerId: string): void {
    const last = this.#last.get(workerId);
    if (last === undefined) return;
    this.#last.delete(workerId);
    this.#gone = [...this.#gone, withoutGauges(last)];
  }

  /** What every worker that is there told just now; undefined stands for one that told nothing. */
  async aggregate(told: ReadonlyMap<string, ProcessMetrics | undefined>): Promise<WorkersMetrics> {
    for (const [workerId, metrics] of told) if (metrics !== undefined) this.#last.set(workerId, metrics);
    const sum = [...this.#last].map(([workerId, last]) => told.get(workerId) ?? withoutGauges(last));
    const up = [...told.values()].filter((metrics) => metrics !== undefined).length;
    const gone = this.#gone;
    const readings = gone.length === 0 ? [] : [await aggregated(gone).getMetricsAsJSON()];
    // Unless another one went meanwhile.
    if (this.#gone === gone) this.#gone = readings;
    return { exposition: await aggregated([...readings, ...sum]).metrics(), up, silent: told.size - up };
  }
}

/** Each metric by its own `aggregator`: added up, unless it says otherwise. */
const aggregated = (readings: readonly ProcessMetrics[]): Registry => AggregatorRegistry.aggregate([...readings]);

const withoutGauges = (metrics: ProcessMetrics): ProcessMetrics =>
  metrics.filter(({ type }) => String(type) === "counter" || String(type) === "histogram");
