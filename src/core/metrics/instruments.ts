import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { TIME_BOUNDS_MS, type TimeHistogram } from "./histogram.ts";

// What the metrics of both kinds of process are made of. Labels take their values from lists of ours and nothing else: no id, no
// token, no number, no text of anybody.

/** The label that says which transport a call has. */
export const CONNECTION_TYPE_LABEL = "connection_type";

/** What an exposition is served as. */
export const EXPOSITION_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** A registry of our own, not the library's: its label keeps the processes apart where their metrics meet. */
export function registryOf(process: "control" | "worker"): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  return registry;
}

export const counter = <Label extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  labels: Label[] = [],
) => new Counter({ name: `trunkline_${name}`, help, labelNames: labels, registers: [registry] });

export const gauge = <Label extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  labels: Label[] = [],
) => new Gauge({ name: `trunkline_${name}`, help, labelNames: labels, registers: [registry] });

export const histogram = <Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labels: Label[],
  buckets: number[],
) => new Histogram({ name: `trunkline_${name}`, help, labelNames: labels, buckets, registers: [registry] });

/** A gauge that is asked for at each scrape. */
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

/** One gauge by the values of a label, all asked for at each scrape. */
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

/** For counts that are kept elsewhere and only read here. */
export function setCounter(metric: Counter<never>, count: number): void {
  metric.reset();
  metric.inc(count);
}

/**
 * A histogram whose times are kept elsewhere, where counting may cost nothing, told in seconds. It answers those who ask for values, as
 * workers are asked; the library's own text, which is made otherwise, would not have them.
 */
export class ExternalHistogram extends Histogram {
  readonly #label: string | undefined;
  #times: ReadonlyMap<string, TimeHistogram> = new Map();

  /** Without a label there is one of them. */
  constructor(registry: Registry, name: string, help: string, label?: string) {
    super({ name: `trunkline_${name}`, help, labelNames: label === undefined ? [] : [label], registers: [registry] });
    this.#label = label;
  }

  /** From here on these are told, by their label's value. */
  setTimes(kept: Readonly<Record<string, TimeHistogram>>): void {
    this.#times = new Map(Object.entries(kept));
  }

  override async get(): ReturnType<Histogram["get"]> {
    const told = await super.get();
    const values = [...this.#times].flatMap(([value, times]) =>
      samplesOf(told.name, this.#label === undefined ? {} : { [this.#label]: value }, times),
    );
    return { ...told, values };
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
