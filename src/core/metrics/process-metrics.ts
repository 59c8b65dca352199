import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, collectDefaultMetrics, Gauge, type Registry } from "prom-client";
import { droppedLogLines } from "../log/output.ts";
import { SOFTWARE } from "../runtime/version.ts";

/**
 * Adds the metrics of Node and the system for this process (CPU, memory, open files, garbage collection, event-loop delay), the
 * software version and, in a worker, the media server. It starts observers, so only composition roots call it, once.
 */
export function collectProcessMetrics(registry: Registry, mediaServer?: string): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS });
  for (const { name } of registry.getMetricsAsArray())
    if (EXCLUDED_METRICS.test(name)) registry.removeSingleMetric(name);
  collectLoopDelay(registry);
  new Counter({
    name: "trunkline_log_lines_dropped_total",
    help: "Log lines dropped because standard output was not read.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLogLines());
    },
  });
  new Gauge({
    name: "trunkline_build_info",
    help: "Always 1; the labels name the running software and, in workers, the media server.",
    labelNames: ["software", "media_server"],
    aggregator: "first",
    registers: [registry],
  }).set({ software: SOFTWARE, ...(mediaServer !== undefined && { media_server: mediaServer }) }, 1);
}

/**
 * Metrics of the library that are removed: handles by Node's class names, of which there is no fixed list (the totals stay), and
 * its event-loop delays, which count the sampling interval as delay and are NaN when read twice in quick succession.
 */
const EXCLUDED_METRICS = /^nodejs_(active_(handles|requests|resources)$|eventloop_lag)/;
const LOOP_SAMPLE_MS = 10;
const QUANTILES = [0.5, 0.9, 0.99, 1];

/** The event-loop delay since the previous scrape. */
function collectLoopDelay(registry: Registry): void {
  const looks = monitorEventLoopDelay({ resolution: LOOP_SAMPLE_MS });
  looks.enable();
  new Gauge({
    name: "trunkline_event_loop_delay_seconds",
    help: "Delay of the event loop since the last scrape, of the worst process of its kind.",
    labelNames: ["quantile"],
    aggregator: "max",
    registers: [registry],
    collect() {
      // Read again without a new sample: the previous value stays.
      if (looks.count === 0) return;
      for (const quantile of QUANTILES) {
        const betweenLooksMs = looks.percentile(quantile * 100) / 1e6;
        this.set({ quantile }, Math.max(0, betweenLooksMs - LOOP_SAMPLE_MS) / 1_000);
      }
      looks.reset();
    },
  });
}
