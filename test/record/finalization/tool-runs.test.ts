import { describe, expect, test } from "vitest";
import { callMs } from "../../../src/core/clocks.ts";
import { asToolCallId, asTurnId } from "../../../src/core/ids.ts";
import { TOOL_RUN_TEXT_CHARS_MAX, TOOL_RUNS_PER_CALL_MAX } from "../../../src/core/limits/agents/tools.ts";
import { ToolRunGatherer } from "../../../src/record/finalization/tool-runs.ts";
import type { JournalRecord } from "../../../src/record/journal/records.ts";

const TURN = asTurnId(1);

const began = (id: string, atMs: number, given: Record<string, unknown> = { order: "A-17" }): JournalRecord => ({
  kind: "command",
  timeMs: callMs(atMs),
  command: { kind: "run-tool", turnId: TURN, toolCallId: asToolCallId(id), name: "order", arguments: given },
});
const ended = (id: string, atMs: number, result: string, failed = false): JournalRecord => ({
  kind: "event",
  timeMs: callMs(atMs),
  event: { kind: "tool-result", turnId: TURN, toolCallId: asToolCallId(id), result, failed },
});

const runsOf = (...records: readonly JournalRecord[]) => {
  const gatherer = new ToolRunGatherer();
  for (const record of records) gatherer.take(record);
  return gatherer.runs;
};

describe("the tool calls in a journal", () => {
  test("are listed in the order in which they began, with their results", () => {
    const words = { arguments: '{"order":"A-17"}' };
    expect(
      runsOf(began("1.1", 1_000), began("1.2", 1_010), ended("1.2", 1_200, "no", true), ended("9.9", 5, "?")),
    ).toEqual([
      {
        toolCallId: "1.1",
        name: "order",
        startMs: 1_000,
        durationMs: null,
        failed: null,
        words: { ...words, result: null },
      },
      {
        toolCallId: "1.2",
        name: "order",
        startMs: 1_010,
        durationMs: 190,
        failed: true,
        words: { ...words, result: "no" },
      },
    ]);
  });

  test("are cut, and not more than a record can hold", () => {
    const long = "x".repeat(TOOL_RUN_TEXT_CHARS_MAX + 5);
    const [run] = runsOf(began("1.1", 0, { long }), ended("1.1", 1, long));
    expect([run?.words?.arguments.length, run?.words?.result?.length]).toEqual(Array(2).fill(TOOL_RUN_TEXT_CHARS_MAX));
    const many = Array.from({ length: TOOL_RUNS_PER_CALL_MAX + 1 }, (_, index) => began(`1.${index}`, index));
    expect(runsOf(...many).length).toBe(TOOL_RUNS_PER_CALL_MAX);
  });
});
