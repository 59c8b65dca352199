import { TRACE_LIST_CHARS_MAX, TRACE_LIST_ENTRIES_MAX } from "../core/limits/calls/traces.ts";
import type { TraceSettings } from "../core/traces/trace-settings.ts";
import { isAddress, redactedAddress } from "./network/addresses.ts";
import type { VariableReader } from "./variables/reader.ts";
import { TRACE_VARIABLES } from "./variables/traces.ts";

const { OTEL_EXPORTER_OTLP_PROTOCOL, OTEL_TRACES_SAMPLER } = TRACE_VARIABLES;
const TRACES_PATH = "/v1/traces";
/** A token of HTTP, as names of headers are. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/** Where traces are sent; undefined without OTEL_EXPORTER_OTLP_ENDPOINT. Adds to `problems` a sentence for each value that is wrong. */
export function readTraces(reader: VariableReader, problems: string[]): TraceSettings | undefined {
  const endpoint = reader.text("OTEL_EXPORTER_OTLP_ENDPOINT", "").replace(/\/+$/, "");
  const headers = readPairs("OTEL_EXPORTER_OTLP_HEADERS", reader, problems);
  const attributes = readPairs("OTEL_RESOURCE_ATTRIBUTES", reader, problems);
  const serviceName = reader.text("OTEL_SERVICE_NAME", attributes["service.name"]);
  const sampleRatio = readSampleRatio(reader, problems);
  const hasWords = reader.flag("TRACES_WORDS");
  const protocol = reader.text("OTEL_EXPORTER_OTLP_PROTOCOL");
  const { default: ours } = OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol !== ours)
    problems.push(
      `OTEL_EXPORTER_OTLP_PROTOCOL must be ${ours}, which the service sends, not ${JSON.stringify(protocol)}`,
    );
  const wrong = Object.entries(headers).find(([name, value]) => !HEADER_NAME.test(name) || !HEADER_VALUE.test(value));
  if (wrong !== undefined)
    problems.push(`OTEL_EXPORTER_OTLP_HEADERS has a header that HTTP does not allow: ${JSON.stringify(wrong[0])}`);
  if (endpoint === "") return undefined;
  if (!isAddress(endpoint, ["http:", "https:"])) {
    problems.push(
      `OTEL_EXPORTER_OTLP_ENDPOINT must be an http:// or https:// address without a query or a password, not ${redactedAddress(endpoint)}`,
    );
  }
  const resource = { ...attributes, "service.name": serviceName };
  return { url: endpoint + TRACES_PATH, headers, resource, sampleRatio, hasWords };
}

function readSampleRatio(reader: VariableReader, problems: string[]): number {
  const sampler = reader.word("OTEL_TRACES_SAMPLER", OTEL_TRACES_SAMPLER.oneOf);
  const given = reader.text("OTEL_TRACES_SAMPLER_ARG");
  const ratio = /^(?:0(?:\.\d{0,9})?|\.\d{1,9}|1(?:\.0{0,9})?)$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isNaN(ratio))
    problems.push(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not ${JSON.stringify(given)}`);
  if (sampler.endsWith("traceidratio")) return ratio;
  return sampler.endsWith("always_off") ? 0 : 1;
}

/** The list of a variable: `name=value` separated by commas, the values in the encoding of URLs. No problem quotes a value. */
function readPairs(name: string, reader: VariableReader, problems: string[]): Record<string, string> {
  const text = reader.text(name, "");
  const entries = text.split(",").filter((entry) => entry.trim() !== "");
  if (text.length > TRACE_LIST_CHARS_MAX || entries.length > TRACE_LIST_ENTRIES_MAX) {
    problems.push(
      `${name} must have at most ${TRACE_LIST_ENTRIES_MAX} entries and ${TRACE_LIST_CHARS_MAX} characters, not ${entries.length} and ${text.length}`,
    );
    return {};
  }
  const pairs: Record<string, string> = {};
  for (const [index, entry] of entries.entries()) {
    const equals = entry.indexOf("=");
    const value = decoded(entry.slice(equals + 1).trim());
    const key = decoded(entry.slice(0, Math.max(0, equals)).trim());
    if (key === undefined || key === "" || value === undefined)
      problems.push(
        `${name} must be name=value, separated by commas: entry ${index + 1} is not, or its encoding is wrong`,
      );
    else pairs[key] = value;
  }
  return pairs;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
