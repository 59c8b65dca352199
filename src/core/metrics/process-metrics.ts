import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, collectDefaultMetrics, Gauge, type Registry } from "prom-client";
import { droppedLogLines } from "../log/output.ts";
import { SOFTWARE } from "../version.ts";

/**
 * Adds what Node and the system know of this process (CPU, memory, open files, garbage, delays of the event loop), and
 * which software it runs; of a worker also what serves its media port. It watches from here on: for composition roots, once.
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
 * Of what the library collects: handles by class names of Node's own, of which there is no list (their totals stay), and
 * delays of the event loop, which count the time between two looks as delay and are no numbers when asked for twice in a moment.
 */
const EXCLUDED_METRICS = /^nodejs_(active_(handles|requests|resources)$|eventloop_lag)/;
const LOOP_SAMPLE_MS = 10;
const QUANTILES = [0.5, 0.9, 0.99, 1];

/** How much later than it should the loop came round, over the time since the scrape before. */
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
      // Asked again in the same moment: what was told stands.
      if (looks.count === 0) return;
      for (const quantile of QUANTILES) {
        const betweenLooksMs = looks.percentile(quantile * 100) / 1e6;
        this.set({ quantile }, Math.max(0, betweenLooksMs - LOOP_SAMPLE_MS) / 1_000);
      }
      looks.reset();
    },
  });
}
