import { expect, test } from "vitest";
import { type DemoResult, demoDocument, demoSummary } from "../../../src/cli/demo/report.ts";
import { callMs } from "../../../src/core/clocks.ts";

const RESULT: DemoResult = {
  callId: "call_1",
  script: {
    lines: [
      { text: "When do you open?", interrupts: false },
      { text: "And on Sundays?", interrupts: true },
    ],
    endReason: "agent_hangup",
    stoppedMsMax: 2_000,
  },
  caller: {
    finished: true,
    said: [],
    heard: [
      { text: "Hello.", startMs: 0, endMs: 1 },
      { text: "We open at nine every", startMs: 0, endMs: 1, latencyMs: 720.4, stoppedAfterMs: 311.6 },
      { text: "We are closed.", startMs: 0, endMs: 1, latencyMs: 650.125 },
    ],
  },
  record: { status: "ended", endReason: "agent_hangup", durationMs: 21_500.25 },
  transcript: [
    { role: "agent", text: "Hello.", startMs: callMs(40.25), endMs: callMs(899.75), interrupted: false },
    { role: "user", text: "When do you open?", startMs: callMs(1_800), endMs: callMs(3_000), interrupted: false },
    {
      role: "agent",
      text: "We open at nine every day",
      startMs: callMs(3_560),
      endMs: callMs(6_000),
      interrupted: true,
      latency: { finalTranscriptMs: 480, endOfTurnMs: 500, firstTextMs: 502, firstAudioMs: 540, firstFrameMs: 560 },
    },
    { role: "user", text: "And on Sundays?", startMs: callMs(5_700), endMs: callMs(7_000), interrupted: false },
    {
      role: "agent",
      text: "We are closed.",
      startMs: callMs(7_600),
      endMs: callMs(8_500),
      interrupted: false,
      latency: { endOfTurnMs: 510, firstAudioMs: 550, firstFrameMs: 580 },
    },
  ],
  recording: { path: "/data/call_1.wav", channels: 2, sampleRateHz: 8_000, durationMs: 21_480 },
  violations: new Map(),
};

test("the document has the call, what was heard, the recording and every latency", () => {
  expect(demoDocument(RESULT)).toEqual({
    callId: "call_1",
    status: "ended",
    endReason: "agent_hangup",
    durationMs: 21_500,
    turns: [
      { role: "agent", text: "Hello.", startMs: 40, endMs: 900, interrupted: false },
      { role: "user", text: "When do you open?", startMs: 1_800, endMs: 3_000, interrupted: false },
      {
        role: "agent",
        text: "We open at nine every day",
        startMs: 3_560,
        endMs: 6_000,
        interrupted: true,
        finalTranscriptMs: 480,
        latencyMs: 560,
      },
      { role: "user", text: "And on Sundays?", startMs: 5_700, endMs: 7_000, interrupted: false },
      { role: "agent", text: "We are closed.", startMs: 7_600, endMs: 8_500, interrupted: false, latencyMs: 580 },
    ],
    lines: [
      { said: "When do you open?", understood: "When do you open?", wrongWords: 0 },
      { said: "And on Sundays?", understood: "And on Sundays?", wrongWords: 0 },
    ],
    words: { said: 7, wrong: 0 },
    heardByCaller: ["Hello.", "We open at nine every", "We are closed."],
    recording: { path: "/data/call_1.wav", channels: 2, sampleRateHz: 8_000, durationMs: 21_480 },
    latency: {
      service: { medianMs: 560, maxMs: 580 },
      heardByCaller: { medianMs: 650, maxMs: 720 },
      bargeInMs: 312,
    },
  });
});

test("a call without replies has no latencies", () => {
  const call = { ...RESULT, transcript: [], caller: { finished: false, said: [], heard: [] } };
  expect(demoDocument(call).latency).toEqual({
    service: { medianMs: null, maxMs: null },
    heardByCaller: { medianMs: null, maxMs: null },
    bargeInMs: null,
  });
});

test("the summary marks the interrupted reply, and shows the service's latencies next to the caller's", () => {
  const summary = demoSummary(RESULT);
  expect(summary).toContain("Call call_1: ended, agent_hangup, 21.5 s");
  expect(summary).toContain("  agent  We open at nine every day [interrupted]\n");
  expect(summary).toContain("480               500          502         540          560          720");
  expect(summary).toContain("510          -           550          580          650");
  expect(summary).toContain("\nThe agent fell silent 312 ms after the caller had begun to interrupt it.\n");
  expect(summary).toContain("/data/call_1.wav");
});

const HUMAN_RESULT: DemoResult = {
  ...RESULT,
  script: { ...RESULT.script, wrongWordsMax: 2 },
  transcript: RESULT.transcript.filter(({ text }) => text !== "And on Sundays?" && text !== "We are closed."),
};

test("what a person said is shown beside what was understood, with the words that are wrong", () => {
  const summary = demoSummary(HUMAN_RESULT);
  expect(summary).toContain("Understood by the local STT, 3 of 7 words wrong:\n1  said");
  expect(summary).toMatch(/\n2 {2}said +And on Sundays\?\n +understood {2}3 wrong {2}-\n/);
  expect(demoSummary(RESULT)).not.toContain("Understood");
});

test("a line that was not understood at all has no transcript in the document", () => {
  expect(demoDocument(HUMAN_RESULT)).toMatchObject({
    lines: [{ wrongWords: 0 }, { said: "And on Sundays?", understood: null, wrongWords: 3 }],
    words: { said: 7, wrong: 3 },
  });
});
