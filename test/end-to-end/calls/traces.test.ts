import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import WebSocket from "ws";
import type { OtlpSpan } from "../../../src/cli/traces/otlp-request.ts";
import type { TranscriptTurn } from "../../../src/core/calls/transcript.ts";
import { asCallId } from "../../../src/core/ids.ts";
import { spanIdOf, traceIdOf } from "../../../src/record/traces/spans.ts";
import { NEW_CALL, Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { Collector } from "../../support/traces/collector.ts";

// The service exports the traces of real calls to a collector, and each says what the call's record says.

const run = promisify(execFile);
const EXAMPLE = fileURLToPath(new URL("../../../examples/tools.mjs", import.meta.url));
const TEST_MS_MAX = 90_000;
/** The greeting is interrupted after so many messages of audio. */
const FRAMES_HEARD = 50;
const EXPORTED_MS_MAX = 20_000;
const CLIENT_TRACE = "a".repeat(32);
const HEADER = "Bearer canary-of-the-collector";

let collector: Collector;
let service: Service;
beforeAll(async () => {
  collector = await Collector.listen();
  service = await Service.start({
    env: {
      TOOLS_ALLOW_LOOPBACK: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(HEADER)}`,
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    },
  });
});
afterAll(() => collector.close());

/** The spans of a call once its own has come, which is the last. */
const traceOf = (callId: string): Promise<OtlpSpan[]> =>
  until("the trace to be exported", EXPORTED_MS_MAX, () => {
    const spans = collector.spans.filter(({ traceId }) => traceId === traceIdOf(asCallId(callId)));
    return spans.some(({ parentSpanId }) => parentSpanId === "") && spans;
  });

const times = (spans: readonly OtlpSpan[], name: string, startedAt: number): [number, number][] =>
  spans
    .filter((span) => span.name === name)
    .map(({ startMs, endMs }): [number, number] => [startMs - startedAt, endMs - startedAt])
    .sort(([one], [other]) => one - other);

const ofRole = (turns: readonly TranscriptTurn[], role: TranscriptTurn["role"]) =>
  turns.filter((turn) => turn.role === role).map(({ startMs, endMs }) => [startMs, endMs]);

async function expectSameAsRecord(callId: string): Promise<OtlpSpan[]> {
  const record = await service.ended(callId);
  const turns = await service.transcript(callId);
  const spans = await traceOf(callId);
  const [own, ...others] = spans.filter(({ parentSpanId }) => parentSpanId === "");
  expect(others).toEqual([]);
  // Times of a call count from its journal's beginning, as its `endedAt` does; `startedAt` is when the store redeemed the token.
  const startedAt = Date.parse(record.endedAt as string) - (record.durationMs as number);
  expect(own).toMatchObject({
    name: "call",
    spanId: spanIdOf(traceIdOf(asCallId(callId)), 0),
    startMs: startedAt,
    endMs: startedAt + (record.durationMs as number),
    attributes: { "trunkline.call.id": callId, "trunkline.call.end_reason": record.endReason },
    resource: { "service.name": "trunkline", "deployment.environment.name": "test" },
  });
  const ids = new Set(spans.map(({ spanId }) => spanId));
  expect(ids.size).toBe(spans.length);
  expect(spans.filter(({ parentSpanId }) => parentSpanId !== "" && !ids.has(parentSpanId))).toEqual([]);
  expect(times(spans, "caller speech", startedAt)).toEqual(ofRole(turns, "user"));
  expect(times(spans, "agent speech", startedAt)).toEqual(ofRole(turns, "agent"));
  const firstFrames = spans
    .filter(({ attributes }) => "trunkline.latency.first_frame_ms" in attributes)
    .sort((one, other) => one.startMs - other.startMs)
    .map(({ attributes }) => attributes["trunkline.latency.first_frame_ms"]);
  const latencies = turns.flatMap(({ latency }) => (latency === undefined ? [] : [latency.firstFrameMs]));
  expect(firstFrames).toEqual(latencies);
  return spans;
}

const latestCall = async (): Promise<string> =>
  (await service.api<{ data: { id: string }[] }>("GET", "/calls?limit=1")).body.data[0]?.id ?? "";

test("a call with tools", { retry: ifMachineStalled, timeout: TEST_MS_MAX }, async () => {
  const env = { ...process.env, TRUNKLINE_URL: service.apiUrl, TRUNKLINE_API_KEY: service.apiKey };
  await run(process.execPath, [EXAMPLE, "Where is my order A-17?"], { env, timeout: TEST_MS_MAX });
  const spans = await expectSameAsRecord(await latestCall());
  const names = spans.map(({ name }) => name);
  expect(names).toContain("execute_tool order_status");
  expect(names.filter((name) => name.startsWith("chat")).length).toBeGreaterThanOrEqual(2);
  expect(names).toEqual(expect.arrayContaining(["turn", "tts", "first frame sent", "first frame heard"]));
  expect(JSON.stringify(spans)).not.toMatch(/A-17|on its way/);
  expect(collector.headers.at(-1)?.authorization).toBe(HEADER);
  expect(service.process.stdout).not.toContain("canary-of-the-collector");
});

test("a call whose agent is interrupted", { retry: ifMachineStalled, timeout: TEST_MS_MAX }, async () => {
  const answer = await fetch(`${service.apiUrl}/api/v1/calls`, {
    method: "POST",
    headers: {
      "X-API-Key": service.apiKey,
      "Content-Type": "application/json",
      traceparent: `00-${CLIENT_TRACE}-${"b".repeat(16)}-01`,
    },
    body: JSON.stringify({
      ...NEW_CALL,
      connectionType: "websocket",
      interruptible: true,
      greeting: "Good morning, this is the bakery, and this greeting goes on and on, so that it can be interrupted.",
    }),
  });
  const { id, websocketUrl } = (await answer.json()) as { id: string; websocketUrl: string };
  const socket = new WebSocket(websocketUrl);
  let frames = 0;
  await new Promise<void>((resolve) => {
    socket.on("close", () => resolve());
    socket.on("message", (data, isBinary) => {
      const message: Record<string, unknown> = isBinary ? { type: "audio" } : JSON.parse(String(data));
      if (message.type === "mark") socket.send(JSON.stringify({ type: "mark", name: message.name }));
      if (message.type === "audio") frames += 1;
      if (message.type === "audio" && frames === FRAMES_HEARD)
        socket.send(JSON.stringify({ type: "text", text: "When are you closed?" }));
      const isAnswer = message.type === "transcript" && message.role === "agent" && message.final === true;
      if (isAnswer && String(message.text).includes("Monday")) socket.send(JSON.stringify({ type: "end" }));
    });
  });
  const spans = await expectSameAsRecord(id);
  expect(spans.find(({ parentSpanId }) => parentSpanId === "")?.links).toEqual([CLIENT_TRACE]);
  const interrupted = spans.filter(({ attributes }) => attributes["trunkline.turn.interrupted"] === true);
  expect(interrupted.map(({ attributes }) => attributes["trunkline.turn.speak_reason"])).toContain("greeting");
});

test("the metrics say how many spans were exported, and a collector that is gone harms no call", {
  timeout: TEST_MS_MAX,
}, async () => {
  const port = service.logged("metrics port ready").at(-1)?.port;
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(
    Number(/trunkline_trace_spans_total\{[^}]*outcome="exported"[^}]*\} (\d+)/.exec(metrics)?.[1]),
  ).toBeGreaterThan(0);
  collector.status = 400;
  const env = { ...process.env, TRUNKLINE_URL: service.apiUrl, TRUNKLINE_API_KEY: service.apiKey };
  await run(process.execPath, [EXAMPLE, "Where is my order B-2?"], { env, timeout: TEST_MS_MAX });
  expect(await service.ended(await latestCall())).toMatchObject({ status: "ended", endReason: "caller_hangup" });
  const message = "traces could not be exported: the collector refuses them or does not answer";
  await until("the log to tell of it", EXPORTED_MS_MAX, () => service.logged(message).length > 0);
  await collector.close();
  await run(process.execPath, [EXAMPLE, "Where is my order B-2?"], { env, timeout: TEST_MS_MAX });
  expect(await service.ended(await latestCall())).toMatchObject({ status: "ended" });
  expect(await service.stop()).toBe(0);
  expect(service.logged(message)).toHaveLength(1);
});
