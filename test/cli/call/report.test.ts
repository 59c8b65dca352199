import { expect, test } from "vitest";
import { callDocument, callFaults, callSummary } from "../../../src/cli/call/report.ts";
import type { CallResult } from "../../../src/cli/call/run.ts";
import { callMs, monotonicMs } from "../../../src/core/clocks.ts";

const TURN = { startMs: 1_000.4, endMs: 2_000.4 };

/** A successful call of six seconds, with `changes`. */
const call = (changes: Partial<CallResult> = {}): CallResult => ({
  line: { wire: "carrier_b", codecs: { inbound: "alaw", outbound: "mulaw" } },
  caller: {
    said: [{ text: "When?", startMs: 3_000, endMs: 3_500, overAgent: false }],
    heard: [
      { ...TURN, text: "Hello." },
      { ...TURN, text: "", latencyMs: 512.6 },
    ],
    finished: true,
  },
  violations: new Map(),
  serviceErrors: [],
  startedMs: monotonicMs(500),
  endedMs: monotonicMs(6_500),
  hungUpBy: "caller",
  closeCode: 1_000,
  service: undefined,
  recordPath: undefined,
  ...changes,
});

const service = (status: string, endReason: string | null): CallResult["service"] => ({
  callId: "call_1",
  record: {
    ...{ status, endReason, durationMs: 6_000, recording: {}, parameters: null },
    ...{ agentId: "agent_1", agentVersion: 3, configuration: { recordingEnabled: true } },
  },
  transcript: [{ startMs: callMs(1_000.4), endMs: callMs(2_000.4), role: "agent", text: "Hello", interrupted: true }],
});

test("a successful call has no fault, whichever side hung up", () => {
  expect(callFaults(call())).toEqual([]);
  expect(callFaults(call({ hungUpBy: "other-end", service: service("ended", "agent_hangup") }))).toEqual([]);
  // When the caller hangs up, the close code is the other end's choice.
  expect(callFaults(call({ closeCode: 1_005, service: service("ended", "caller_hangup") }))).toEqual([]);
});

test("every fault of a call is reported in a sentence", () => {
  const caller = { said: [], heard: [], finished: false };
  const violations = new Map([["bad_length", 3] as const]);
  const broken = call({
    caller,
    violations,
    serviceErrors: ["unknown_type: no such thing"],
    hungUpBy: "other-end",
    closeCode: 1_008,
    service: service("ended", "protocol_error"),
  });
  expect(callFaults(broken)).toEqual([
    "The other end hung up before everything was said.",
    "The stream was closed with 1008, not 1000.",
    "The caller heard nothing.",
    "The other end broke the protocol: bad_length (3).",
    "The other end reported the error unknown_type: no such thing.",
    "The service's record says ended, protocol_error.",
  ]);
  expect(callFaults(call({ caller: { ...call().caller, finished: false } }))).toEqual([
    "The caller hung up before everything was said.",
  ]);
  expect(callFaults(call({ service: service("failed", null) }))).toHaveLength(1);
});

test("times of the document count from the beginning of the stream", () => {
  expect(callDocument(call({ service: service("ended", "caller_hangup"), recordPath: "heard.wav" }))).toEqual({
    wire: "carrier_b",
    codecs: { inbound: "alaw", outbound: "mulaw" },
    ratesHz: { inbound: 8_000, outbound: 8_000 },
    durationMs: 6_000,
    hungUpBy: "caller",
    closeCode: 1_000,
    said: [{ text: "When?", startMs: 2_500, endMs: 3_000, overAgent: false }],
    heard: [
      { text: "Hello.", startMs: 500, endMs: 1_500 },
      { text: "", startMs: 500, endMs: 1_500, latencyMs: 513 },
    ],
    violations: {},
    serviceErrors: [],
    recordedTo: "heard.wav",
    service: {
      callId: "call_1",
      agentId: "agent_1",
      agentVersion: 3,
      status: "ended",
      endReason: "caller_hangup",
      parameters: null,
      transcript: [{ role: "agent", text: "Hello", interrupted: true }],
    },
    faults: [],
  });
  expect(callDocument(call())).toMatchObject({ service: null, recordedTo: null });
});

test("the document of a WebSocket client names its codec and both rates", () => {
  const documentOf = (codec: "mulaw" | "opus", inputRateHz: 8_000 | 48_000, outputRateHz: 8_000 | 24_000) =>
    callDocument(call({ line: { wire: "websocket", format: { codec, inputRateHz, outputRateHz } } }));
  expect(documentOf("mulaw", 8_000, 8_000)).toMatchObject({
    wire: "websocket",
    codecs: { inbound: "mulaw", outbound: "mulaw" },
    ratesHz: { inbound: 8_000, outbound: 8_000 },
  });
  // Opus is decoded at 16,000 Hz at most.
  expect(documentOf("opus", 48_000, 24_000)).toMatchObject({ ratesHz: { inbound: 48_000, outbound: 16_000 } });
});

test("the summary and the document have the parameters of the record", () => {
  const made = service("ended", "caller_hangup");
  const parameters = { order: "A-17", name: "Ada" };
  const result = call({ service: made && { ...made, record: { ...made.record, parameters } } });
  expect(callSummary(result).split("\n").slice(-3)).toEqual([
    "The parameters of its start, in the service's record:",
    "  order: A-17",
    "  name: Ada",
  ]);
  expect(callDocument(result)).toMatchObject({ service: { parameters } });
});

test("the summary has what was heard, the service's transcript, and the path of the recording", () => {
  const result = call({ service: service("ended", "agent_hangup"), recordPath: "heard.wav", hungUpBy: "other-end" });
  expect(callSummary(result).split("\n")).toEqual([
    "carrier_b: 6.0 s, the other end hung up",
    "",
    "The caller heard:",
    "  Hello.",
    "  (speech that the reference STT cannot decode, 1.0 s)",
    "",
    "The service's transcript of call_1 (ended, agent_hangup):",
    "  agent  Hello [interrupted]",
    "",
    "The call had version 3 of agent_1",
    "",
    "What the caller heard is in heard.wav",
  ]);
  const inline = result.service && { ...result.service.record, agentId: null, agentVersion: null };
  const withoutAgent = call({ service: result.service && inline && { ...result.service, record: inline } });
  expect(callSummary(withoutAgent)).not.toContain("version");
  expect(callSummary(call({ caller: { said: [], heard: [], finished: true } }))).toContain("\n  nothing");
});
