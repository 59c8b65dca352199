import { describe, expect, test } from "vitest";
import type { PartRequest } from "./fake-stt.ts";
import { type JobEvidence, type Kill, type KillEvidence, verdictOf } from "./verdict.ts";

/** A transcription of two parts that went as it should. */
const RIGHT: JobEvidence = {
  id: "transcription_1",
  status: "completed",
  words: ["abc", "def"],
  parts: [{ requests: 1 }, { requests: 1 }],
  eventIds: ["event_1"],
};
const ABC: PartRequest = { part: "abc", startedMs: 10_000, endedMs: 10_500 };
const DEF: PartRequest = { part: "def", startedMs: 10_100, endedMs: 10_900 };
const AGAIN: PartRequest = { part: "abc", startedMs: 13_000, endedMs: 13_400 };

const LIMITS = { partsPerJob: 2, partsAtOnceMax: 2 };

const killAt = (atMs: number, ...stored: string[]): Kill => ({ atMs, stored: new Set(stored) });
const verdictFor = (job: Partial<JobEvidence>, more: Partial<KillEvidence> = {}) =>
  verdictOf({ jobs: [{ ...RIGHT, ...job }], requests: [ABC, DEF], kills: [], ...LIMITS, ...more });
const askedAgain = (first: PartRequest, ...kills: Kill[]) =>
  verdictFor({ parts: [{ requests: 2 }, { requests: 1 }] }, { requests: [first, DEF, AGAIN], kills }).askedAgain;

describe("the verdict on transcriptions under kills", () => {
  test("has nothing to say of one that went as it should", () => {
    const { requests, counted, uncounted, ...found } = verdictFor({});
    expect(Object.values(found).flat()).toEqual([]);
    expect([requests, counted, uncounted]).toEqual([2, 2, 0]);
  });

  test("notices one that is not completed, and one without a part of its words", () => {
    expect(verdictFor({ status: "failed" }).lost).toEqual(["transcription_1 failed"]);
    expect(verdictFor({ words: ["abc"] }).lost).toEqual(["transcription_1 completed"]);
  });

  test("notices a word that is there twice, and a second event of its end, but no event that is delivered again", () => {
    expect(verdictFor({ words: ["abc", "def", "abc"] }).doubled).toEqual(["transcription_1"]);
    expect(verdictFor({ eventIds: ["event_1", "event_2"] }).doubled).toEqual(["transcription_1"]);
    expect(verdictFor({ eventIds: ["event_1", "event_1"] }).doubled).toEqual([]);
  });

  test("notices one that is completed without an event", () => {
    expect(verdictFor({ eventIds: [] }).unannounced).toEqual(["transcription_1"]);
  });

  test("notices a part that is asked for again without a kill, or although it was stored at the next one", () => {
    expect(askedAgain(ABC)).toEqual(["abc"]);
    expect(askedAgain(ABC, killAt(9_999))).toEqual(["abc"]);
    expect(askedAgain(ABC, killAt(12_000, "abc"))).toEqual(["abc"]);
    expect(askedAgain(ABC, killAt(12_000, "abc"), killAt(12_500))).toEqual(["abc"]);
  });

  test("allows it after a kill before it was stored, and after a refusal", () => {
    expect(askedAgain(ABC, killAt(10_200))).toEqual([]);
    expect(askedAgain(ABC, killAt(12_000, "def"))).toEqual([]);
    expect(askedAgain({ ...ABC, isRefused: true })).toEqual([]);
  });

  test("notices a kill after which more parts are asked for again than can be in flight", () => {
    const again = ["a", "b", "c"].map((part) => ({ part, startedMs: 10_000 }));
    const costs = (first: readonly PartRequest[]) =>
      verdictFor({}, { requests: [...first, ...again], kills: [killAt(10_000)] }).costly;
    expect(costs(again)).toEqual(["1970-01-01T00:00:10.000Z"]);
    expect(costs(again.slice(1))).toEqual([]);
  });

  test("notices a request that is not counted", () => {
    expect(verdictFor({ parts: [{ requests: 1 }] }).uncounted).toBe(1);
  });
});
