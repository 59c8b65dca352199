import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { TIME_BOUNDS_MS, type TimeHistogram } from "./histogram.ts";

// Building blocks of the metrics of all processes. Label values come only from fixed lists: no id, token, telephone number or text
// of a client.

/** The label for a call's connection type. */
export const CONNECTION_TYPE_LABEL = "connection_type";

/** The content type of an exposition. */
export const EXPOSITION_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** A registry with the label `process`, which distinguishes the processes in the merged exposition. */
export function registryOf(process: "control" | "worker" | "speech" | "retrieval"): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  return registry;
}

/** Registers a counter; `name` without the prefix `trunkline_`, and with `_total` at its end. */
export const counter = <Label extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  labels: Label[] = [],
) => new Counter({ name: `trunkline_${name}`, help, labelNames: labels, registers: [registry] });

/** Registers a gauge that is set; `name` without the prefix `trunkline_`. See `observableGauge`. */
export const gauge = <Label extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  labels: Label[] = [],
) => new Gauge({ name: `trunkline_${name}`, help, labelNames: labels, registers: [registry] });

/** Registers a histogram; `name` without the prefix `trunkline_`, `buckets` ascending, in the unit in its `name`. */
export const histogram = <Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labels: Label[],
  buckets: number[],
) => new Histogram({ name: `trunkline_${name}`, help, labelNames: labels, buckets, registers: [registry] });

/** A gauge that is read at each scrape. */
export const observableGauge = (
  registry: Registry,
  name: string,
  help: string,
  value: () => number,
  aggregator: "sum" | "min" | "max" = "sum",
) =>
  new Gauge({
    name: `trunkline_${name}`,
    help,
    aggregator,
    registers: [registry],
    collect() {
      this.set(value());
    },
  });

/** A counter whose value is counted elsewhere; it is read at each scrape. */
export const observableCounter = (registry: Registry, name: string, help: string, value: () => number) =>
  new Counter({
    name: `trunkline_${name}`,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(value());
    },
  });

/** A gauge with one label; all values are read at each scrape. */
export const observableGauges = (
  registry: Registry,
  name: string,
  help: string,
  label: string,
  values: () => Readonly<Record<string, number>>,
) =>
  new Gauge({
    name: `trunkline_${name}`,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      for (const [value, count] of Object.entries(values())) this.set({ [label]: value }, count);
    },
  });

/** A counter whose value is counted elsewhere and read at each scrape. */
export function setCounter(metric: Counter<never>, count: number): void {
  metric.reset();
  metric.inc(count);
}

/**
 * A histogram that is counted elsewhere, on paths where counting must be cheap, and exposed in seconds. It overrides `get`, which
 * aggregation uses; the library makes its own text output in another way, without these values.
 */
export class ExternalHistogram extends Histogram {
  readonly #label: string | undefined;
  #times: ReadonlyMap<string, TimeHistogram> = new Map();

  /** Without a label there is one histogram. */
  constructor(registry: Registry, name: string, help: string, label?: string) {
    super({ name: `trunkline_${name}`, help, labelNames: label === undefined ? [] : [label], registers: [registry] });
    this.#label = label;
  }

  /** Exposes these histograms from now on, by label value. */
  setTimes(kept: Readonly<Record<string, TimeHistogram>>): void {
    this.#times = new Map(Object.entries(kept));
  }

  override async get(): ReturnType<Histogram["get"]> {
    const metric = await super.get();
    const values = [...this.#times].flatMap(([value, times]) =>
      samplesOf(metric.name, this.#label === undefined ? {} : { [this.#label]: value }, times),
    );
    return { ...metric, values };
  }
}

function samplesOf(name: string, labels: Readonly<Record<string, string>>, times: TimeHistogram) {
  const { cumulativeCounts, sumMs } = times;
  const buckets = cumulativeCounts.map((value, index) => {
    const boundMs = TIME_BOUNDS_MS[index];
    const le = boundMs === undefined ? "+Inf" : boundMs / 1_000;
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sumMs / 1_000 },
    { metricName: `${name}_count`, labels, value: cumulativeCounts.at(-1) ?? 0 },
  ];
}
