/** One line of an exposition. */
export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** What belongs to one HELP and TYPE. */
export interface Family {
  name: string;
  help: string;
  type: string;
  samples: Sample[];
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;

/**
 * Reads Prometheus's text format, version 0.0.4, and takes nothing else: each family once, with HELP, TYPE and then all of its
 * samples, no sample twice, histograms with their infinite bucket. Throws where something is not so.
 */
export function readExposition(text: string): Map<string, Family> {
  if (!text.endsWith("\n")) throw new Error("the last line must end");
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let family: Family | undefined;
  for (const line of text.split("\n").filter((line) => line !== "")) {
    const [, keyword, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === "HELP") {
      if (families.has(name)) throw new Error(`two groups of ${name}`);
      family = { name, help: rest, type: "", samples: [] };
      families.set(name, family);
    } else if (keyword === "TYPE") {
      if (family?.name !== name || family.type !== "") throw new Error(`TYPE without HELP: ${line}`);
      family.type = rest;
    } else {
      const sample = readSample(line);
      if (family === undefined || !belongs(sample.name, family)) throw new Error(`in no family: ${line}`);
      const series = `${sample.name}${JSON.stringify(Object.entries(sample.labels).sort())}`;
      if (seen.has(series)) throw new Error(`twice: ${line}`);
      seen.add(series);
      family.samples.push(sample);
    }
  }
  return families;
}

function belongs(sample: string, { name, type }: Family): boolean {
  if (type === "histogram") return [`${name}_bucket`, `${name}_sum`, `${name}_count`].includes(sample);
  return ["counter", "gauge"].includes(type) && sample === name;
}

function readSample(line: string): Sample {
  const [, name, labelText = "", value = ""] = SAMPLE.exec(line) ?? [];
  if (name === undefined) throw new Error(`no sample: ${line}`);
  const labels: Record<string, string> = {};
  let end = 0;
  for (LABEL.lastIndex = 0; end < labelText.length; end = LABEL.lastIndex) {
    const [, label, text] = LABEL.exec(labelText) ?? [];
    if (label === undefined || text === undefined || label in labels) throw new Error(`no labels: ${line}`);
    labels[label] = text;
  }
  const number = value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value);
  if (Number.isNaN(number)) throw new Error(`no number: ${line}`);
  return { name, labels, value: number };
}

/** The value of the one sample of `name` whose labels include `labels`; throws when there is none or more than one. */
export function sampleOf(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const found = [...families.values()]
    .flatMap(({ samples }) => samples)
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value));
  const [first] = found;
  if (first === undefined || found.length > 1) {
    throw new Error(`${found.length} samples of ${name} with ${JSON.stringify(labels)}`);
  }
  return first.value;
}
