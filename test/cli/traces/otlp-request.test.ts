import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { expect, test } from "vitest";
import { type OtlpSpan, spansIn } from "../../../src/cli/traces/otlp-request.ts";

// OTLP's own encoders write the same spans as protobuf, which is read, and as JSON, which needs no reader.

interface JsonAttribute {
  key: string;
  value: { stringValue?: string; boolValue?: boolean; intValue?: number | string; doubleValue?: number };
}

interface JsonSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: JsonAttribute[];
  links?: { traceId: string }[];
  events?: { name: string; timeUnixNano: string }[];
  status: { code: number };
}

interface JsonRequest {
  resourceSpans: {
    resource: { attributes: JsonAttribute[] };
    scopeSpans: { spans: JsonSpan[] }[];
  }[];
}

/** As it would be exported. */
function finishedSpans(): ReadableSpan[] {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ "service.name": "trunkline", workers: 2 }),
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer("test");
  const startTime = 1_767_225_600_123.456;
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const link = { context: { traceId, spanId: "b7ad6b7169203331", traceFlags: 1 } };
  const call = tracer.startSpan("call", { startTime, root: true, links: [link] });
  const inCall = trace.setSpan(ROOT_CONTEXT, call);
  const chat = tracer.startSpan("chat", { startTime: startTime + 1, kind: SpanKind.CLIENT }, inCall);
  chat.setAttributes({ text: "Grüße", yes: true, no: false, count: -3, large: 2 ** 40, ratio: 0.25 });
  chat.addEvent("first text", startTime + 20.5);
  chat.setStatus({ code: SpanStatusCode.ERROR, message: "provider_failed" });
  chat.end(startTime + 100.75);
  call.end(startTime + 500);
  return exporter.getFinishedSpans();
}

const milliseconds = (nanoseconds: string): number => Number(BigInt(nanoseconds) / 1_000n) / 1_000;
const primitiveOf = ({ stringValue, boolValue, intValue, doubleValue }: JsonAttribute["value"]): unknown =>
  stringValue ?? boolValue ?? (intValue === undefined ? doubleValue : Number(intValue));
const attributesOf = (attributes: readonly JsonAttribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, primitiveOf(value)]));

const spansOfJson = ({ resourceSpans }: JsonRequest): OtlpSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ startTimeUnixNano, endTimeUnixNano, links = [], events = [], status, ...span }) => ({
        ...{ traceId: span.traceId, spanId: span.spanId, parentSpanId: span.parentSpanId ?? "" },
        ...{ name: span.name, kind: span.kind, attributes: attributesOf(span.attributes) },
        startMs: milliseconds(startTimeUnixNano),
        endMs: milliseconds(endTimeUnixNano),
        links: links.map(({ traceId }) => traceId),
        events: events.map(({ name, timeUnixNano }) => ({ name, atMs: milliseconds(timeUnixNano) })),
        status: status.code,
        resource: attributesOf(resource.attributes),
      })),
    ),
  );

test("the reader of OTLP finds in protobuf what its encoders write as JSON", () => {
  const spans = finishedSpans();
  const protobuf = Buffer.from(ProtobufTraceSerializer.serializeRequest(spans) as Uint8Array);
  const json = JSON.parse(Buffer.from(JsonTraceSerializer.serializeRequest(spans) as Uint8Array).toString());
  const expected = spansOfJson(json as JsonRequest);
  expect(spansIn(protobuf)).toEqual(expected);
  const call = expected.find(({ name }) => name === "call");
  expect(expected.find(({ name }) => name === "chat")).toMatchObject({
    parentSpanId: call?.spanId,
    attributes: { text: "Grüße", yes: true, no: false, count: -3, large: 2 ** 40, ratio: 0.25 },
    status: 2,
  });
  expect(call?.links).toHaveLength(1);
});
