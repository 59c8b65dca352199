import type { Variables } from "../../core/configuration/variable.ts";

/** Traces. The names that begin with OTEL_ are those of OpenTelemetry. */
export const TRACE_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    format: "an http or https address",
    meaning:
      "the collector to which the trace of each call is sent, such as `http://localhost:4318`; `/v1/traces` is added. Without it there are no " +
      "traces. It needs the optional packages of OpenTelemetry: see [observability](observability.md)",
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    default: "http/protobuf",
    format: "only `http/protobuf`",
    meaning: "how traces are sent; collectors take `grpc` on another port, and the service does not send it",
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    format: "`name=value`, separated by commas",
    meaning:
      "headers of the requests to the collector, such as an API key; in values a comma is `%2C` and a space `%20`",
  },
  OTEL_SERVICE_NAME: {
    default: "trunkline",
    format: "a text",
    meaning: "`service.name` of the traces",
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    format: "`name=value`, separated by commas",
    meaning: "further attributes of the service, such as `deployment.environment.name=production`",
  },
  OTEL_TRACES_SAMPLER: {
    default: "always_on",
    oneOf: [
      "always_on",
      "always_off",
      "traceidratio",
      "parentbased_always_on",
      "parentbased_always_off",
      "parentbased_traceidratio",
    ],
    meaning:
      "which calls are traced: all, none, or the share in `OTEL_TRACES_SAMPLER_ARG`. A call's trace has no parent, so that those with " +
      "`parentbased_` mean the same",
  },
  OTEL_TRACES_SAMPLER_ARG: {
    default: "1",
    format: "a number from 0 to 1",
    meaning: "the share of calls that `traceidratio` traces",
  },
  TRACES_WORDS: {
    default: "false",
    oneOf: ["true", "false"],
    meaning:
      "`true`: spans have what was said, and what tools were given and answered, of calls that store words. People who read the traces read " +
      "it, and retention does not delete it there",
  },
} as const satisfies Variables;
