import { expect, test } from "vitest";
import { readTraces } from "../../src/config/traces.ts";
import { VariableReader } from "../../src/config/variables/reader.ts";

function read(env: Record<string, string>) {
  const problems: string[] = [];
  return { traces: readTraces(new VariableReader(env, problems), problems), problems };
}

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };

test("there are no traces without a collector", () => {
  expect(read({ OTEL_SERVICE_NAME: "a", OTEL_EXPORTER_OTLP_HEADERS: "a=b" })).toEqual({
    traces: undefined,
    problems: [],
  });
});

test("the standard variables are read as OpenTelemetry writes them", () => {
  const env = {
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20abc, x-tenant=a=b",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=production,service.name=other",
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.25",
    TRACES_WORDS: "true",
  };
  expect(read(env)).toEqual({
    traces: {
      url: "http://collector:4318/v1/traces",
      headers: { authorization: "Bearer abc", "x-tenant": "a=b" },
      resource: { "deployment.environment.name": "production", "service.name": "other" },
      sampleRatio: 0.25,
      hasWords: true,
    },
    problems: [],
  });
  expect(read({ ...env, OTEL_SERVICE_NAME: "mine" }).traces?.resource["service.name"]).toBe("mine");
  expect(read(ENDPOINT).traces).toMatchObject({
    resource: { "service.name": "trunkline" },
    sampleRatio: 1,
    hasWords: false,
  });
  expect(read({ ...ENDPOINT, OTEL_TRACES_SAMPLER: "always_off" }).traces?.sampleRatio).toBe(0);
});

test.each([
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
    "OTEL_EXPORTER_OTLP_ENDPOINT must be an http:// or https:// address without a query or a password",
  ],
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
    'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, which the service sends, not "grpc"',
  ],
  [
    { OTEL_EXPORTER_OTLP_HEADERS: "a=b,secret" },
    "OTEL_EXPORTER_OTLP_HEADERS must be name=value, separated by commas: entry 2 is not, or its encoding is wrong",
  ],
  [
    { OTEL_EXPORTER_OTLP_HEADERS: "a=%E0%A4%A" },
    "OTEL_EXPORTER_OTLP_HEADERS must be name=value, separated by commas: entry 1 is not, or its encoding is wrong",
  ],
  [
    { OTEL_EXPORTER_OTLP_HEADERS: "a=%0Asecret" },
    'OTEL_EXPORTER_OTLP_HEADERS has a header that HTTP does not allow: "a"',
  ],
  [
    { OTEL_RESOURCE_ATTRIBUTES: Array.from({ length: 129 }, (_, index) => `a${index}=1`).join() },
    "OTEL_RESOURCE_ATTRIBUTES must have at most 128 entries and 8192 characters, not 129 and",
  ],
  [{ OTEL_TRACES_SAMPLER_ARG: "2" }, 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "2"'],
  [{ OTEL_TRACES_SAMPLER_ARG: "half" }, 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "half"'],
])("%j is refused with what is right, and without a secret", (env, problem) => {
  const { problems } = read({ ...ENDPOINT, ...env });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(problem);
  expect(problems.join()).not.toContain("secret");
});
