import { asWorkerId } from "../../../src/core/ids.ts";
import { MetricsAggregator, type ProcessMetrics, type WorkersMetrics } from "../../../src/core/metrics/aggregation.ts";

/** What a control process tells of its workers when there is none. */
export const NO_WORKERS: WorkersMetrics = { exposition: "", up: 0, silent: 0 };

/** What it tells of one, which has just begun. */
export const metricsOfOneWorker = (metrics: ProcessMetrics): Promise<WorkersMetrics> =>
  new MetricsAggregator().aggregate(new Map([[asWorkerId("worker"), metrics]]));
