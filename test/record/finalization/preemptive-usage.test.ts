import { expect, test } from "vitest";
import { callMs } from "../../../src/core/clocks.ts";
import { asTurnId } from "../../../src/core/ids.ts";
import { UsageGatherer } from "../../../src/record/finalization/preemptive-usage.ts";
import type { JournaledCommand, JournaledEvent } from "../../../src/record/journal/records.ts";

const START: JournaledCommand = { kind: "preemptive-start", messages: 2, language: "en" };
const CANCEL: JournaledCommand = { kind: "preemptive-cancel" };
const ANSWER: JournaledCommand = { kind: "generate-reply", turnId: asTurnId(1), messages: 2, language: "en" };
const used = (inputTokens: number, preemptive?: number): JournaledEvent => ({
  kind: "usage",
  stage: "llm",
  provider: "openai",
  usage: { inputTokens },
  ...(preemptive !== undefined && { preemptive }),
});

/** The input tokens of each usage, and whether its reply was discarded. */
function gathered(...records: (JournaledCommand | JournaledEvent)[]): [number | undefined, boolean][] {
  const gatherer = new UsageGatherer();
  for (const each of records) {
    const timeMs = callMs(0);
    if (each.kind === "usage") gatherer.take({ kind: "event", timeMs, event: each as JournaledEvent });
    else gatherer.take({ kind: "command", timeMs, command: each as JournaledCommand });
  }
  expect(JSON.stringify(gatherer.usage)).not.toContain("preemptive");
  return gatherer.usage.map(({ usage, discarded }) => [usage.inputTokens, discarded === true]);
}

test("a preemptive reply that the next answer uses is not discarded, whenever its usage comes", () => {
  expect(gathered(START, used(1, 1), ANSWER)).toEqual([[1, false]]);
  expect(gathered(START, ANSWER, used(1, 1))).toEqual([[1, false]]);
});

test("a preemptive reply is discarded that was cancelled or whose call ended, whenever its usage comes", () => {
  expect(gathered(START, used(1, 1), CANCEL, ANSWER, used(2))).toEqual([
    [1, true],
    [2, false],
  ]);
  expect(gathered(START, CANCEL, START, used(1, 1), ANSWER, used(2, 2))).toEqual([
    [1, true],
    [2, false],
  ]);
  expect(gathered(ANSWER, used(1), START, used(2, 1))).toEqual([
    [1, false],
    [2, true],
  ]);
});
