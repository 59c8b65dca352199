import { expect, test } from "vitest";
import { findPhoneMismatches } from "../../../../src/cli/demo/phone/comparison.ts";
import {
  type PhoneCallResult,
  type PhoneDemoResult,
  phoneDemoDocument,
  phoneDemoSummary,
} from "../../../../src/cli/demo/phone/report.ts";
import { INBOUND, OUTBOUND, type PhoneScript } from "../../../../src/cli/demo/phone/scenario.ts";
import type { TranscriptTurn } from "../../../../src/core/calls/transcript.ts";
import { callMs } from "../../../../src/core/clocks.ts";

const latency = { endOfTurnMs: 500, firstTextMs: 510, firstAudioMs: 530, firstFrameMs: 540 };
const REQUEST = { atMs: 0, method: "POST", path: "/v2/calls", body: {}, status: 200 };
const WEBHOOK = { atMs: 0, kind: "ended", callId: "CA1", method: "POST", status: 200 } as const;

/** A call that went as its script has it. */
function callOf(script: PhoneScript): PhoneCallResult {
  const times = { startMs: callMs(0), endMs: callMs(900), interrupted: false };
  const reply = (text: string): TranscriptTurn => ({ role: "agent", text, ...times, latency });
  const said = script.lines.map(({ text }) => ({ text, startMs: 0, endMs: 1, overAgent: false }));
  const { direction, from, to, endReason } = script;
  const record = { status: "ended", endReason, durationMs: 9_000, phone: { direction, from, to } };
  return {
    callId: `call_${direction}`,
    script,
    caller: {
      finished: true,
      said,
      heard: ["Hello.", ...said.map(() => "Yes.")].map((text) => ({ text, startMs: 0, endMs: 1, latencyMs: 600 })),
    },
    record: record as PhoneCallResult["record"],
    transcript: [
      { role: "agent", text: "Hello.", ...times },
      ...said.flatMap(({ text }): TranscriptTurn[] => [{ role: "user", text, ...times }, reply("Yes.")]),
    ],
    transcriptPath: `/data/call_${direction}.transcript.json`,
    recording: { path: `/data/call_${direction}.wav`, channels: 2, sampleRateHz: 8_000, durationMs: 9_000 },
    violations: new Map(),
    answerToGreetingMs: 70.4,
    requests: [REQUEST],
    webhooks: [WEBHOOK],
  };
}

function resultWith(inbound: Partial<PhoneCallResult> = {}, more: Partial<PhoneDemoResult> = {}): PhoneDemoResult {
  const transfer = { target: "+12025550147", connected: true };
  return {
    carrier: "telnyx",
    setUpRequests: [REQUEST],
    inbound: { ...callOf(INBOUND), transfer, ...inbound },
    outbound: callOf(OUTBOUND),
    placed: 1,
    ...more,
  };
}

test("two calls that went as scripted have no mismatch", () => {
  expect(findPhoneMismatches(resultWith())).toEqual([]);
});

test.each<[Partial<PhoneCallResult>, Partial<PhoneDemoResult>, string]>([
  [{ transfer: { target: "+12025550147", connected: false } }, {}, "Inbound call: The carrier did not keep the two"],
  [{ requests: [{ ...REQUEST, status: 422 }] }, {}, "Inbound call: The carrier answered POST /v2/calls with 422."],
  [{ webhooks: [{ ...WEBHOOK, status: 0 }] }, {}, "Inbound call: The service answered the webhook ended with 0."],
  [{ record: callOf(OUTBOUND).record }, {}, "Inbound call: The record's direction is outbound, not inbound."],
  [{}, { setUpRequests: [{ ...REQUEST, status: 401 }] }, "Set-up: The carrier answered POST /v2/calls with 401."],
  [{}, { placed: 2 }, "Outbound call: It was placed 2 times."],
])("a difference is named with its call: %#", (inbound, more, sentence) => {
  expect(findPhoneMismatches(resultWith(inbound, more)).join("\n")).toContain(sentence);
});

test("a greeting that was not heard is a mismatch", () => {
  const { answerToGreetingMs: _, ...unheard } = callOf(OUTBOUND);
  expect(findPhoneMismatches(resultWith({}, { outbound: unheard }))).toEqual([
    "Outbound call: The greeting was not heard after the answer.",
  ]);
});

test("the document has both calls with record, turns, requests and webhooks", () => {
  const document = phoneDemoDocument(resultWith());
  expect(document).toMatchObject({ carrier: "telnyx", setUpRequests: [REQUEST] });
  expect(document.inbound).toMatchObject({
    ...{ callId: "call_inbound", answerToGreetingMs: 70, requests: [REQUEST], webhooks: [WEBHOOK] },
    transfer: { target: "+12025550147", connected: true },
    record: { phone: { direction: "inbound" } },
  });
  expect(document.outbound).toMatchObject({ transfer: null, record: { phone: { direction: "outbound" } } });
  expect(document.outbound.turns.map(({ role }) => role)).toEqual(["agent", "user", "agent"]);
});

test("the summary has both records, the delay of the greeting and the paths", () => {
  const text = phoneDemoSummary(resultWith());
  expect(text).toContain("Inbound call from +12025550142 to +12025550187");
  expect(text).toContain("Call call_outbound: ended, agent_hangup, 9.0 s");
  expect(text).toContain("Answered, then greeting 70 ms later");
  expect(text).toContain("Transcript: /data/call_inbound.transcript.json");
  expect(text).toContain("Transferred to +12025550147, connected");
});
