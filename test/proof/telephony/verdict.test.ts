import { describe, expect, test } from "vitest";
import type { EpochMs } from "../../../src/core/clocks.ts";
import { type CallEvidence, type TrialEvidence, verdictOf } from "./verdict.ts";

const at = (atMs: number, event: object, ...commands: object[]): CallEvidence["journal"][number] =>
  ({ atMs: atMs as unknown as EpochMs, event, commands }) as CallEvidence["journal"][number];

/** A call that was placed, answered and hung up by the person. */
const RIGHT: CallEvidence = {
  callId: "call_1",
  carrier: "twilio",
  status: "ended",
  endReason: "caller_hangup",
  journal: [
    at(100_000, { kind: "dial-due" }, { kind: "send-dial" }),
    at(100_100, { kind: "dial-answered" }),
    at(101_010, { kind: "notice" }, { kind: "connect" }),
    at(105_000, { kind: "record-ended" }),
  ],
  hasToken: true,
  legs: [{ answeredAtMs: 101_000, cause: "completed" }],
  dialsInDoubt: 0,
  hasUncertainFault: false,
  isDisturbed: false,
};
const TOKEN = { token: "secret", atMs: 101_020, answeredAtMs: 101_000 };

const verdictFor = (call: Partial<CallEvidence>, more: Partial<TrialEvidence> = {}) =>
  verdictOf({
    calls: [{ ...RIGHT, ...call }],
    controlKillsMs: [],
    killsMs: [],
    tokens: [TOKEN],
    texts: { "the log": "call ended" },
    ...more,
  });

describe("the verdict on telephone calls under kills", () => {
  test("has nothing to say of a call that went as it should", () => {
    expect(Object.values(verdictFor({})).flat()).toEqual([]);
  });

  test("names a call that was placed twice", () => {
    expect(verdictFor({ legs: [{ cause: "busy" }, { cause: "busy" }], hasToken: false }).placedTwice).toHaveLength(1);
  });

  test("names a call that was dialled again while it was in doubt, also where the carrier placed it once", () => {
    expect(verdictFor({ dialsInDoubt: 1 }).dialledAgain).toHaveLength(1);
  });

  test("names a call that has not ended", () => {
    expect(verdictFor({ status: "ringing", endReason: null }).lost).toHaveLength(1);
  });

  test("allows unknown after a fault, and after a kill between the request and its answer", () => {
    const call = { endReason: "unknown", isDisturbed: true };
    expect(verdictFor(call).wronglyUnknown).toHaveLength(1);
    expect(verdictFor({ ...call, hasUncertainFault: true }).wronglyUnknown).toEqual([]);
    expect(verdictFor(call, { controlKillsMs: [100_050] }).wronglyUnknown).toEqual([]);
    expect(verdictFor(call, { controlKillsMs: [100_200] }).wronglyUnknown).toHaveLength(1);
  });

  test("looks at the last request to dial that was sent, and at its own answer", () => {
    const again = [
      at(103_000, { kind: "dial-due" }, { kind: "send-dial" }),
      at(109_000, { kind: "dial-due" }, { kind: "find-calls" }),
    ];
    const journal = [...RIGHT.journal.slice(0, 2), ...again];
    const call = { endReason: "unknown", isDisturbed: true, journal };
    expect(verdictFor(call, { controlKillsMs: [104_000] }).wronglyUnknown).toEqual([]);
    expect(verdictFor(call, { controlKillsMs: [102_000] }).wronglyUnknown).toHaveLength(1);
  });

  test("names an end that is not what the carrier saw, unless something came between", () => {
    const call = { endReason: "no_answer" };
    expect(verdictFor(call).wrongEnds).toHaveLength(1);
    expect(verdictFor({ ...call, isDisturbed: true }).wrongEnds).toEqual([]);
    expect(verdictFor(call, { killsMs: [102_000] }).wrongEnds).toEqual([]);
  });

  test("names tokens that were made before the answer", () => {
    expect(verdictFor({ legs: [{ cause: "busy" }], endReason: "busy" }, { tokens: [] }).leakedTokens).toHaveLength(1);
    const journal = [at(100_900, { kind: "notice" }, { kind: "connect" })];
    expect(verdictFor({ journal }).leakedTokens).toHaveLength(1);
  });

  test("names tokens that were given away early, or can be read", () => {
    expect(verdictFor({}, { tokens: [{ ...TOKEN, atMs: 100_999 }] }).leakedTokens).toHaveLength(1);
    expect(verdictFor({}, { texts: { "the log": "stream secret" } }).leakedTokens).toEqual([
      "a token can be read in the log",
    ]);
  });
});
