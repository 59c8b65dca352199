import { afterEach, beforeEach, expect, test } from "vitest";
import { callMs, epochMs } from "../../../src/core/clocks.ts";
import { asCallId } from "../../../src/core/ids.ts";
import { SPANS_WAITING_MAX } from "../../../src/core/limits/calls/traces.ts";
import type { TraceSettings } from "../../../src/core/traces/trace-settings.ts";
import { loadSpanExport } from "../../../src/record/traces/exporter.ts";
import type { ExportedSpan } from "../../../src/record/traces/readable-span.ts";
import { spanIdOf, traceIdOf } from "../../../src/record/traces/spans.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { Collector } from "../../support/traces/collector.ts";

const CALL = asCallId("call_01980000-0000-7000-8000-000000000001");
const STARTED = epochMs(1_767_225_600_000);
const span = (change: Partial<ExportedSpan> = {}): ExportedSpan => ({
  number: 1,
  parent: 0,
  name: "turn",
  startMs: callMs(100),
  endMs: callMs(250),
  attributes: {},
  ...change,
});

let collector: Collector;
beforeEach(async () => {
  collector = await Collector.listen();
});
afterEach(() => collector.close());

async function scene(change: Partial<TraceSettings> = {}) {
  const counts: Record<string, number> = {};
  const logged = memoryLog();
  const settings: TraceSettings = {
    url: `${collector.url}/v1/traces`,
    headers: {},
    resource: { "service.name": "test" },
    sampleRatio: 1,
    hasWords: false,
    ...change,
  };
  const count = (outcome: string, spans: number): void => {
    counts[outcome] = (counts[outcome] ?? 0) + spans;
  };
  return { exporter: await loadSpanExport(settings, count, logged.log), counts, logged };
}

test("a span arrives with its ids, times, kind, attributes, events and error, under the name of the service", async () => {
  const { exporter, counts } = await scene({ headers: { authorization: "Bearer secret" } });
  exporter.add(CALL, STARTED, [
    span({
      number: 7,
      parent: 3,
      name: "chat",
      attributes: { "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 12, ratio: 0.5, yes: true },
      events: [{ name: "first text", atMs: callMs(150) }],
      isRequest: true,
      errorType: "provider_failed",
    }),
    span({
      number: 0,
      parent: undefined,
      name: "call",
      link: { traceId: "a".repeat(32), spanId: "b".repeat(16), isSampled: true },
    }),
  ]);
  await exporter.close();
  expect(collector.paths).toEqual(["/v1/traces"]);
  expect(collector.headers[0]?.authorization).toBe("Bearer secret");
  expect(collector.spans[0]).toMatchObject({
    traceId: traceIdOf(CALL),
    spanId: spanIdOf(traceIdOf(CALL), 7),
    parentSpanId: spanIdOf(traceIdOf(CALL), 3),
    name: "chat",
    kind: 3,
    startMs: 1_767_225_600_100,
    endMs: 1_767_225_600_250,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.usage.input_tokens": 12,
      ratio: 0.5,
      yes: true,
      "error.type": "provider_failed",
    },
    events: [{ name: "first text", atMs: 1_767_225_600_150 }],
    status: 2,
    resource: { "service.name": "test" },
  });
  expect(collector.spans[1]).toMatchObject({
    spanId: spanIdOf(traceIdOf(CALL), 0),
    parentSpanId: "",
    name: "call",
    kind: 1,
    status: 0,
    links: ["a".repeat(32)],
  });
  expect(counts).toEqual({ exported: 2 });
});

test("a span whose end is before its start, as word times of an STT can be, ends where it starts", async () => {
  const { exporter } = await scene();
  exporter.add(CALL, STARTED, [span({ startMs: callMs(250), endMs: callMs(100) })]);
  await exporter.close();
  expect(collector.spans[0]).toMatchObject({ startMs: 1_767_225_600_250, endMs: 1_767_225_600_250 });
});

test("a collector that refuses costs its spans, which are counted and logged once, without what was sent", async () => {
  collector.status = 400;
  const { exporter, counts, logged } = await scene({ headers: { authorization: "Bearer secret" } });
  exporter.add(CALL, STARTED, [span({ attributes: { word: "canary" } })]);
  await exporter.close().catch(() => {});
  expect(counts).toEqual({ failed: 1 });
  const lines = JSON.stringify(logged.lines);
  expect(lines).toContain("traces could not be exported");
  expect(lines).not.toMatch(/canary|secret/);
});

test("while the collector does not answer, spans beyond the bound are dropped and counted", async () => {
  collector.status = 0;
  const { exporter, counts, logged } = await scene();
  exporter.add(
    CALL,
    STARTED,
    Array.from({ length: SPANS_WAITING_MAX }, (_, index) => span({ number: index + 1 })),
  );
  exporter.add(CALL, STARTED, [span()]);
  exporter.add(CALL, STARTED, [span()]);
  expect(counts).toEqual({ dropped: 2 });
  expect(JSON.stringify(logged.lines).split("spans are dropped").length - 1).toBe(1);
});

test("calls are sampled by their ids: a share of them, all or none", async () => {
  const ids = Array.from({ length: 1_000 }, (_, index) =>
    asCallId(`call_01980000-0000-7000-8000-${((index * 2_654_435_761) % 2 ** 40).toString(16).padStart(12, "0")}`),
  );
  const shareOf = async (sampleRatio: number): Promise<number> => {
    const { exporter } = await scene({ sampleRatio });
    return ids.filter((id) => exporter.isSampled(id)).length;
  };
  expect(await shareOf(0)).toBe(0);
  expect(await shareOf(1)).toBe(1_000);
  expect(await shareOf(0.25)).toBeGreaterThan(100);
  expect(await shareOf(0.25)).toBeLessThan(500);
});
