import { CONNECTION_TYPES } from "../../../src/carriers/list.ts";
import { END_REASONS } from "../../../src/core/calls/reasons.ts";
import { STAGES } from "../../../src/core/calls/stages.ts";
import { TURN_STEPS, USAGE_UNIT_LABELS } from "../../../src/core/metrics/labels.ts";
import { everyMetric } from "../../support/metrics/every-metric.ts";
import type { Family } from "../../support/metrics/exposition.ts";
import { inCode, listed, markdownTable } from "./markdown.ts";

const PREFIX = "trunkline_";

/** Labels with the same values in every metric that has them. A process of the test has not seen them all. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  connection_type: CONNECTION_TYPES,
  stage: STAGES,
  step: TURN_STEPS,
  unit: USAGE_UNIT_LABELS,
};
/** Labels whose values depend on the configuration, on the version or on requests. */
const OPEN = ["provider", "from", "to", "method", "route", "software", "media_server"];
/** Labels that belong to the format. */
const OF_FORMAT = ["le"];
/** The processes that have metrics; the label `process` is on all of them. */
const PROCESSES = ["control", "worker", "speech", "retrieval"];

/** The labels of a metric with their values, in Markdown. */
function labelsOf({ name, samples }: Family): string {
  const labels = new Map<string, string[]>();
  for (const [label, value] of samples.flatMap((sample) => Object.entries(sample.labels)))
    labels.set(label, [...new Set([...(labels.get(label) ?? []), value])]);
  return [...labels]
    .filter(([label]) => !OF_FORMAT.includes(label))
    .filter(([label, values]) => label !== "process" || values.some((value) => !PROCESSES.includes(value)))
    .map(([label, values]) => {
      const isOpen = OPEN.includes(label) || (name === `${PREFIX}api_requests_total` && label === "status");
      return isOpen ? inCode(label) : `${inCode(label)}: ${valueText(VALUES[label] ?? values)}`;
    })
    .join("<br>");
}

const valueText = (values: readonly string[]): string =>
  values.join() === END_REASONS.join() ? "an [end reason](errors.md#end-reasons)" : listed(values);

/** The processes that report a metric; empty where its own label `process` says which process it counts. */
function processesOf({ samples }: Family): string {
  const processes = [...new Set(samples.map(({ labels }) => labels.process ?? ""))];
  return processes.every((process) => PROCESSES.includes(process)) ? listed(processes) : "";
}

/** Names of variables are code. */
const asMarkdown = (help: string): string =>
  help
    .replace(/\.$/, "")
    .replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
    .replace(/(?<!`)\b[A-Z]+(?:_[A-Z]+)+\b(?!`)/g, inCode);

/** The table of the service's metrics, by name. */
export async function metricTables(): Promise<Record<string, string>> {
  const families = [...(await everyMetric()).values()].filter(({ name }) => name.startsWith(PREFIX));
  const rows = families
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map((family) => [
      inCode(family.name),
      family.type,
      processesOf(family),
      labelsOf(family),
      asMarkdown(family.help),
    ]);
  return { metrics: markdownTable(["metric", "type", "process", "labels", "meaning"], rows) };
}
