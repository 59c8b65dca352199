import { expect, test } from "vitest";
import { type CallEvidence, findMismatches } from "../../../src/cli/demo/comparison.ts";
import type { TranscriptTurn } from "../../../src/core/calls/transcript.ts";
import { callMs } from "../../../src/core/clocks.ts";

const LATENCY = { endOfTurnMs: 500, firstTextMs: 510, firstAudioMs: 530, firstFrameMs: 540 };

const agent = (text: string, more: Partial<TranscriptTurn> = {}): TranscriptTurn => ({
  role: "agent",
  text,
  startMs: callMs(0),
  endMs: callMs(1_000),
  interrupted: false,
  latency: LATENCY,
  ...more,
});
const user = (text: string): TranscriptTurn => ({
  role: "user",
  text,
  startMs: callMs(0),
  endMs: callMs(1_000),
  interrupted: false,
});

/** A call that went as scripted. */
function evidence(): CallEvidence {
  const { latency: _, ...greeting } = agent("Hello, how can I help?");
  return {
    script: {
      lines: [
        { text: "When do you open?", interrupts: false },
        { text: "And on Sundays?", interrupts: true },
        { text: "Thank you, goodbye.", interrupts: false },
      ],
      endReason: "agent_hangup",
      stoppedMsMax: 2_000,
    },
    caller: {
      finished: true,
      said: [
        { text: "When do you open?", startMs: 0, endMs: 1, overAgent: false },
        { text: "And on Sundays?", startMs: 0, endMs: 1, overAgent: true },
        { text: "Thank you, goodbye.", startMs: 0, endMs: 1, overAgent: false },
      ],
      heard: [
        { text: "Hello, how can I help?", startMs: 0, endMs: 1 },
        { text: "We open at nine every", startMs: 0, endMs: 1, latencyMs: 700, stoppedAfterMs: 300 },
        { text: "On Sundays we are closed.", startMs: 0, endMs: 1, latencyMs: 650 },
        { text: "Goodbye!", startMs: 0, endMs: 1, latencyMs: 660 },
      ],
    },
    record: { status: "ended", endReason: "agent_hangup", durationMs: 20_000 },
    transcript: [
      greeting,
      user("When do you open?"),
      agent("We open at nine every day", { interrupted: true }),
      user("And on Sundays?"),
      agent("On Sundays we are closed."),
      user("Thank you, goodbye."),
      agent("Goodbye!"),
    ],
    recording: { channels: 2, sampleRateHz: 8_000, durationMs: 19_800 },
    violations: new Map(),
  };
}

/** The evidence with one thing changed. */
function altered(change: (evidence: CallEvidence) => void): CallEvidence {
  const copy = structuredClone(evidence());
  change(copy);
  return copy;
}

/** A mutable view of the same value. */
const open = <T extends object>(value: T): { -readonly [K in keyof T]: T[K] } => value;

/** A mutable view of a list's item. */
function at<T extends object>(list: readonly T[], index: number): { -readonly [K in keyof T]: T[K] } {
  const item = list[index];
  if (item === undefined) throw new Error(`no item ${index}`);
  return item;
}

test("a call that went as scripted has no mismatches", () => {
  expect(findMismatches(evidence())).toEqual([]);
});

test.each([
  ["We open at nine every day", "We open at nine every"],
  ["We open at nine every", "We open at nine every day"],
  ["We open at nine every", "We open at nine every"],
])("at an interruption one word may be missing on either side: heard %j, transcript %j", (heard, transcript) => {
  const call = altered((copy) => {
    at(copy.caller.heard, 1).text = heard;
    at(copy.transcript, 2).text = transcript;
  });
  expect(findMismatches(call)).toEqual([]);
});

/** The same call, understood as these texts by an STT that may misunderstand two words. */
const understoodAs = (...texts: readonly [string, string, string]): CallEvidence =>
  altered((copy) => {
    open(copy.script).wrongWordsMax = 2;
    for (const [index, text] of texts.entries()) at(copy.transcript, 2 * index + 1).text = text;
  });

test.each<[string, readonly [string, string, string]]>([
  ["other punctuation and capitals", ["when do you open", "And, on sundays", "Thank you. Goodbye"]],
  ["two other words", ["Then do you open?", "And on Mondays?", "Thank you, goodbye."]],
  ["a word too many and one missing", ["When do you you open?", "On Sundays?", "Thank you, goodbye."]],
])("where two words may be misunderstood, these are no mismatch: %s", (_, texts) => {
  expect(findMismatches(understoodAs(...texts))).toEqual([]);
});

test("words misunderstood beyond the limit are one mismatch, which counts them over the whole call", () => {
  const call = understoodAs("Then do you open?", "And on Mondays?", "Thank your goodbye.");
  expect(findMismatches(call)).toEqual(["3 of the caller's 10 words were understood otherwise; at most 2 may be."]);
});

test("a call that a provider's failure ended has one mismatch, not one for each line that was not said", () => {
  const call = altered((copy) => {
    open(copy.record).endReason = "provider_error";
    open(copy.caller).said = [];
    open(copy).transcript = [];
  });
  expect(findMismatches(call)).toEqual(["The call ended with provider_error: a provider failed."]);
});

test("where two words may be misunderstood, the caller's STT may miss two of a reply, and no third", () => {
  const heardAs = (text: string): CallEvidence => {
    const call = understoodAs("When do you open?", "And on Sundays?", "Thank you, goodbye.");
    at(call.caller.heard, 0).text = text;
    return call;
  };
  expect(findMismatches(heardAs("Hello, how?"))).toEqual([expect.stringContaining("turn 1 was heard as")]);
  expect(findMismatches(heardAs("Hello, can I help?"))).toEqual([]);
  expect(findMismatches(heardAs("how I help?"))).toEqual([]);
});

test("who must hang up is part of the script", () => {
  const call = altered((copy) => {
    open(copy.script).endReason = "caller_hangup";
  });
  expect(findMismatches(call)).toEqual(["The record's end reason is agent_hangup, not caller_hangup."]);
});

test.each<[string, (copy: CallEvidence) => void, RegExp]>([
  [
    "two words missing at the cut",
    (copy) => {
      at(copy.caller.heard, 1).text = "We open at";
    },
    /turn 2 was heard as "We open at" and is in the transcript as "We open at nine every day"/,
  ],
  [
    "a missing word without an interruption",
    (copy) => {
      at(copy.caller.heard, 2).text = "On Sundays we are";
    },
    /turn 3 was heard as/,
  ],
  [
    "another word at the cut",
    (copy) => {
      at(copy.caller.heard, 1).text = "We open at ten every";
    },
    /turn 2 was heard as/,
  ],
  [
    "nothing heard and nothing written",
    (copy) => {
      at(copy.caller.heard, 3).text = "";
      at(copy.transcript, 6).text = "";
    },
    /turn 4 was heard as "" and is in the transcript as ""/,
  ],
  [
    "a word of the caller misunderstood",
    (copy) => {
      at(copy.transcript, 3).text = "And on Mondays?";
    },
    /line 2 was "And on Sundays\?" and was understood as "And on Mondays\?"/,
  ],
  [
    "an interruption that never was one",
    (copy) => {
      at(copy.caller.said, 1).overAgent = false;
    },
    /line 2 should have interrupted the agent and did not/,
  ],
  [
    "a line that fell on the agent's words",
    (copy) => {
      at(copy.caller.said, 0).overAgent = true;
    },
    /line 1 interrupted the agent and should not have/,
  ],
  [
    "a cut that is not marked",
    (copy) => {
      at(copy.transcript, 2).interrupted = false;
    },
    /turn 2 is not marked as interrupted/,
  ],
  [
    "a mark without an interruption",
    (copy) => {
      at(copy.transcript, 4).interrupted = true;
    },
    /turn 3 is marked as interrupted/,
  ],
  [
    "an agent that went on",
    (copy) => {
      at(copy.caller.heard, 1).stoppedAfterMs = 2_400;
    },
    /turn 2 continued for 2400 ms/,
  ],
  [
    "an answer that began before the line was over",
    (copy) => {
      at(copy.caller.heard, 2).latencyMs = -20;
    },
    /turn 3 did not begin after the caller's line/,
  ],
  [
    "a missing latency",
    (copy) => {
      delete at(copy.transcript, 2).latency;
    },
    /turn 2 has no latency/,
  ],
  [
    "another end",
    (copy) => {
      open(copy.record).endReason = "caller_hangup";
    },
    /end reason is caller_hangup/,
  ],
  [
    "a call that is not over",
    (copy) => {
      open(copy.record).status = "active";
    },
    /status is active/,
  ],
  [
    "a script that was left",
    (copy) => {
      open(copy.caller).finished = false;
    },
    /did not finish the script/,
  ],
  [
    "a recording of one voice",
    (copy) => {
      open(copy.recording).channels = 1;
    },
    /has 1 channels/,
  ],
  [
    "half a recording",
    (copy) => {
      open(copy.recording).durationMs = 9_000;
    },
    /recording lasts 9000 ms, the call 20000 ms/,
  ],
  [
    "a broken protocol",
    (copy) => {
      open(copy).violations = new Map([["unknown_field", 3]]);
    },
    /broke the carrier's protocol: unknown_field \(3\)/,
  ],
])("%s is reported in one sentence", (_what, change, sentence) => {
  const found = findMismatches(altered(change));
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(sentence);
});

test("missing turns are reported once each", () => {
  const call = altered((copy) => {
    open(copy).transcript = copy.transcript.slice(0, 5);
    open(copy.caller).heard = copy.caller.heard.slice(0, 3);
    open(copy.caller).said = copy.caller.said.slice(0, 2);
  });
  expect(findMismatches(call)).toEqual([
    "The transcript's turns are agent, user, agent, user, agent, not agent, user, agent, user, agent, user, agent.",
    "The caller's line 3 was never said.",
    "The agent's turn 4 was not heard.",
  ]);
});
