import { expect, test } from "vitest";
import { callMs, epochMs } from "../../../src/core/clocks.ts";
import { asCallId, type CallId } from "../../../src/core/ids.ts";
import { LIVE_TRACES_MS, SPANS_FLUSH_MS_MAX } from "../../../src/core/limits/calls/traces.ts";
import { CallTraces } from "../../../src/record/traces/call-traces.ts";
import type { ExportedSpan } from "../../../src/record/traces/readable-span.ts";
import type { CallSpan, SpanRequest } from "../../../src/record/traces/spans.ts";
import type { CallEnd, CallRecord } from "../../../src/store/calls/call-store.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";

const CALL = asCallId("call_1");
const STARTED = epochMs(1_000);
const RECORD = {
  id: CALL,
  accountId: "account_1",
  status: "active",
  settings: { connectionType: "carrier_a", language: "en", model: "model_b" },
  createdAtMs: epochMs(900),
} as unknown as CallRecord;
const END: CallEnd = {
  status: "ended",
  endReason: "caller_hangup",
  endedAtMs: epochMs(61_000),
  durationMs: 60_000,
  turns: [],
};
const spans = (from: number, to: number): CallSpan[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    number: from + index,
    parent: 0,
    name: "turn",
    startMs: callMs(0),
    endMs: callMs(1),
    attributes: {},
  }));

/** Traces of calls that are live as `live` says, whose journals have `complete` spans. */
function scene(close: () => Promise<void> = async () => {}) {
  const clock = new ManualClock();
  const exported: [CallId, number[]][] = [];
  const added: ExportedSpan[] = [];
  const requests: SpanRequest[] = [];
  const state = { live: [CALL] as CallId[], complete: 0, isSampled: true, reading: Promise.resolve() };
  const traces = new CallTraces({
    exporter: {
      isSampled: () => state.isSampled,
      add(callId, _, more) {
        exported.push([callId, more.map(({ number }) => number)]);
        added.push(...more);
      },
      close,
    },
    hasWords: false,
    calls: { listActive: async () => state.live.map((id) => ({ id })) as never },
    journals: {
      trace: async (_, request) => {
        requests.push(request);
        const { complete } = state;
        await state.reading;
        return { startedAtMs: STARTED, spans: spans(request.afterNumber + 1, complete) };
      },
    },
    clock,
    log: memoryLog().log,
  });
  traces.start();
  const look = async (): Promise<void> => {
    clock.advance(LIVE_TRACES_MS);
    await settled();
  };
  return { clock, traces, exported, added, requests, state, look };
}

test("a short call is exported at its end, with its own span last", async () => {
  const { traces, exported, requests, look } = scene();
  await look();
  expect(requests).toEqual([]);
  expect(traces.wanted(CALL)).toEqual({ afterNumber: 0, hasWords: false });
  traces.ended(RECORD, END, STARTED, spans(1, 3));
  expect(exported).toEqual([[CALL, [1, 2, 3, 0]]]);
});

test("a long call is exported as it goes, and nothing of it twice", async () => {
  const { traces, exported, state, look } = scene();
  await look();
  state.complete = 2;
  await look();
  state.complete = 5;
  await look();
  await look();
  expect(traces.wanted(CALL)?.afterNumber).toBe(5);
  traces.ended(RECORD, END, STARTED, spans(6, 7));
  expect(exported.map(([, numbers]) => numbers)).toEqual([
    [1, 2],
    [3, 4, 5],
    [6, 7, 0],
  ]);
});

test("a call that ends while its journal is read is exported once", async () => {
  const { traces, exported, state, look } = scene();
  await look();
  state.complete = 2;
  let finish = (): void => {};
  state.reading = new Promise((resolve) => {
    finish = resolve;
  });
  await look();
  traces.ended(RECORD, END, STARTED, spans(1, 2));
  finish();
  await settled();
  expect(exported).toEqual([[CALL, [1, 2, 0]]]);
});

test("a call that is not sampled costs nothing", async () => {
  const { traces, exported, requests, state, look } = scene();
  state.isSampled = false;
  await look();
  await look();
  expect(traces.wanted(CALL)).toBeUndefined();
  traces.ended(RECORD, END, STARTED, []);
  expect([exported, requests]).toEqual([[], []]);
});

test("the call's own span says how it ended, and has an error where the service failed", () => {
  const { traces, added } = scene();
  traces.ended(RECORD, { ...END, endReason: "worker_lost" }, STARTED, []);
  expect(added[0]).toMatchObject({
    name: "call",
    parent: undefined,
    endMs: 60_000,
    errorType: "worker_lost",
    attributes: { "trunkline.call.id": CALL, "trunkline.call.end_reason": "worker_lost" },
  });
});

test("the shutdown waits for the collector, but not for long", async () => {
  const { traces, clock } = scene(() => new Promise(() => {}));
  let isClosed = false;
  void traces.close().then(() => {
    isClosed = true;
  });
  await settled();
  expect(isClosed).toBe(false);
  clock.advance(SPANS_FLUSH_MS_MAX);
  await settled();
  expect(isClosed).toBe(true);
});
