import { describe, expect, test } from "vitest";
import { type AnalysedCall, analysisVerdictOf, NO_NUMBER } from "./analysis-verdict.ts";

const GOOD: AnalysedCall = {
  id: "call_1",
  number: "1",
  isKept: true,
  status: "ended",
  analysis: { status: "completed", reason: null, number: "1" },
  eventIds: ["event_1", "event_1"],
};
const NONE = { lost: [], stuck: [], doubled: [], unannounced: [] };

describe("the verdict on analysed calls", () => {
  test("finds nothing wrong with calls that were analysed, or of which there is nothing to analyse", () => {
    const silent = {
      ...GOOD,
      isKept: false,
      analysis: { status: "failed", reason: "no_transcript", number: undefined },
    };
    const cut = { ...GOOD, isKept: false, analysis: { status: "completed", reason: null, number: NO_NUMBER } };
    expect(analysisVerdictOf([GOOD, silent, cut])).toEqual(NONE);
  });

  test.each<[string, Partial<AnalysedCall>, keyof typeof NONE]>([
    ["has none", { analysis: undefined }, "lost"],
    ["has failed", { analysis: { status: "failed", reason: "provider_failed", number: undefined } }, "lost"],
    [
      "is that of another call, where it was cut",
      { isKept: false, analysis: { status: "completed", reason: null, number: "2" } },
      "lost",
    ],
    ["has no number where there was one", { analysis: { status: "completed", reason: null, number: "none" } }, "lost"],
    [
      "says that nothing was said where something was",
      { analysis: { status: "failed", reason: "no_transcript", number: undefined } },
      "lost",
    ],
    ["is that of another call", { analysis: { status: "completed", reason: null, number: "2" } }, "lost"],
    ["is pending", { analysis: { status: "pending", reason: null, number: undefined } }, "stuck"],
    ["is of a call that is not over", { status: "active" }, "stuck"],
    ["was announced twice", { eventIds: ["event_1", "event_2"] }, "doubled"],
    ["was not announced", { eventIds: [] }, "unannounced"],
  ])("finds a call whose analysis %s", (_, change, kind) => {
    expect(analysisVerdictOf([{ ...GOOD, ...change }])).toEqual({ ...NONE, [kind]: ["call_1"] });
  });
});
