import { expect, test } from "vitest";
import { callMs } from "../../../src/core/clocks.ts";
import { liveEndOf } from "../../../src/record/finalization/live-end.ts";
import { liveResultOf, SttProviders } from "../../../src/record/finalization/live-result.ts";
import type { RecordedUsage } from "../../../src/record/finalization/preemptive-usage.ts";
import type { JournaledCommand, JournaledEvent } from "../../../src/record/journal/records.ts";

const said = (text: string, startMs: number, endMs: number): JournaledCommand => ({
  kind: "utterance",
  text,
  startMs,
  endMs,
});
const END: JournaledCommand = { kind: "end", reason: "caller_hangup", audioMs: 9_000 };
const switched = (from: string, to: string, stage: "stt" | "llm" = "stt"): JournaledEvent => ({
  kind: "provider-switched",
  stage,
  from,
  to,
  code: "failed",
});
const used = (provider: string, audioSeconds: number): RecordedUsage => ({
  kind: "usage",
  stage: "stt",
  provider,
  usage: { audioSeconds },
});

/** The result of what a journal holds, in this order. */
function resultOf(happenings: readonly (JournaledCommand | JournaledEvent)[], usage: readonly RecordedUsage[]) {
  const providers = new SttProviders();
  const commands: JournaledCommand[] = [];
  for (const happening of happenings) {
    if (happening.kind === "provider-switched") providers.take({ kind: "event", timeMs: callMs(0), event: happening });
    else {
      commands.push(happening as JournaledCommand);
      providers.take({ kind: "command", timeMs: callMs(0), command: happening as JournaledCommand });
    }
  }
  return liveResultOf(commands, "en-US", providers, usage);
}

test("utterances become the text and words with times by their letters; those without words are left out", () => {
  const all = [said("Good morning.", 500, 1_500), said("", 2_000, 2_100), said("Bye.", 3_000, 3_400), END];
  expect(resultOf(all, [used("deepgram", 9)])).toEqual({
    text: "Good morning. Bye.",
    language: "en-US",
    durationMs: 9_000,
    channels: 1,
    utterances: [
      { text: "Good morning.", startMs: 500, endMs: 1_500, channel: 0 },
      { text: "Bye.", startMs: 3_000, endMs: 3_400, channel: 0 },
    ],
    words: [
      { text: "Good", startMs: 500, endMs: 864, channel: 0 },
      { text: "morning.", startMs: 864, endMs: 1_500, channel: 0 },
      { text: "Bye.", startMs: 3_000, endMs: 3_400, channel: 0 },
    ],
    hasEstimatedTimes: true,
    parts: [
      {
        ...{ channel: 0, startMs: 0, endMs: 9_000, provider: "deepgram", requests: 1 },
        usage: [{ provider: "deepgram", audioSeconds: 9 }],
      },
    ],
  });
});

test("a label of what was redacted is one word, with the signs around it, also in a script without spaces", () => {
  const wordsOf = (text: string): string[] => resultOf([said(text, 0, 1_000), END], []).words.map((word) => word.text);
  expect(wordsOf("It is “[card number]”, or [email].")).toEqual(["It", "is", "“[card number]”,", "or", "[email]."]);
  expect(wordsOf("[card number][card number]")).toEqual(["[card number]", "[card number]"]);
  expect(wordsOf("号码是[card number]谢谢").filter((word) => word.includes("["))).toEqual(["[card number]"]);
});

test("each provider has the part of the audio up to its last utterance, and its usage once", () => {
  const all = [
    said("one", 0, 1_000),
    switched("deepgram", "assemblyai"),
    switched("openai", "anthropic", "llm"),
    said("two", 2_000, 3_000),
    switched("assemblyai", "deepgram"),
    said("three", 4_000, 5_000),
    END,
  ];
  const { parts } = resultOf(all, [used("deepgram", 2), used("assemblyai", 3), used("deepgram", 4)]);
  expect(parts.map(({ provider, startMs, endMs }) => [provider, startMs, endMs])).toEqual([
    ["deepgram", 0, 1_000],
    ["assemblyai", 1_000, 3_000],
    ["deepgram", 3_000, 9_000],
  ]);
  expect(parts.map(({ usage }) => usage.map(({ audioSeconds }) => audioSeconds))).toEqual([[2, 4], [3], []]);
});

test("a provider that failed before it sent a word has an empty part", () => {
  const { parts } = resultOf([switched("deepgram", "assemblyai"), said("two", 2_000, 3_000), END], []);
  expect(parts.map(({ provider, startMs, endMs }) => [provider, startMs, endMs])).toEqual([
    ["deepgram", 0, 0],
    ["assemblyai", 0, 9_000],
  ]);
});

test("one that nothing was sent of has no part", () => {
  expect(resultOf([{ kind: "end", reason: "caller_hangup", audioMs: 0 }], [])).toMatchObject({ text: "", parts: [] });
});

test("a fault of the service has failed, with the result; any other end is complete", () => {
  const result = resultOf([said("one", 0, 1_000), END], []);
  expect(liveEndOf("max_duration", result)).toEqual({ status: "completed", result });
  expect(liveEndOf("worker_lost", result)).toMatchObject({
    status: "failed",
    failure: { code: "worker_lost" },
    result,
  });
  expect(liveEndOf("caller_hangup", undefined)).toMatchObject({ status: "failed", failure: { code: "caller_hangup" } });
});
