import { expect, test } from "vitest";
import { epochMs } from "../../../src/core/clocks.ts";
import { llmContract } from "../../contract/speech/llm.ts";
import { sttContract } from "../../contract/speech/stt.ts";
import { ttsContract } from "../../contract/speech/tts.ts";
import { ManualClock } from "../manual-clock.ts";
import { ScriptedLlm, textReply } from "./scripted-llm.ts";
import { ScriptedStt } from "./scripted-stt.ts";
import { ScriptedTts } from "./scripted-tts.ts";

sttContract("scripted", async () => {
  const clock = new ManualClock();
  const stt = new ScriptedStt(clock, [
    { atMs: 100, event: { kind: "interim", text: "good" } },
    { atMs: 250, event: { kind: "interim", text: "good morning" } },
    { atMs: 500, event: { kind: "final", text: "good morning" } },
  ]);
  return { stt, rateHz: 8_000, audio: new Int16Array(8_000), text: "good morning", play: (ms) => clock.play(ms) };
});

llmContract("scripted", async () => {
  const clock = new ManualClock();
  const llm = new ScriptedLlm(clock, [textReply("We open at nine.", { firstMs: 200, perWordMs: 30 })]);
  const request = { messages: [], tools: [], temperature: 0, language: "en-US" };
  return { llm, request, drive: (promise) => clock.drive(promise) };
});

ttsContract("scripted", async () => {
  const clock = new ManualClock();
  const tts = new ScriptedTts(clock, { firstMs: 50, perChunkMs: 5 });
  return { tts, voiceId: "scripted/one", drive: (promise) => clock.drive(promise) };
});

ttsContract("scripted, without word timestamps and without delay", async () => {
  const tts = new ScriptedTts(new ManualClock(), { wordTimes: false });
  return { tts, voiceId: "scripted/one", drive: (promise) => promise };
});

const collect = async <T>(events: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const event of events) all.push(event);
  return all;
};

test("the scripted TTS speaks 30 ms a character, and the same every time", async () => {
  const tts = new ScriptedTts(new ManualClock(), { gapMs: 10 });
  const request = { text: "ab cde", voiceId: "scripted/one", language: "en-US" };
  const chunks = await collect(tts.speak(request, new AbortController().signal));
  expect(chunks.flatMap((chunk) => chunk.words)).toEqual([
    { text: "ab", startMs: 0, endMs: 60 },
    { text: "cde", startMs: 70, endMs: 160 },
  ]);
  expect(chunks.map((chunk) => chunk.samples.length)).toEqual([800, 480]);
  expect(await collect(tts.speak(request, new AbortController().signal))).toEqual(chunks);
});

test("scripted providers fail where the script says so", async () => {
  const clock = new ManualClock();
  const { signal } = new AbortController();
  const tts = new ScriptedTts(clock, { failing: { request: 0, afterChunks: 1 } });
  const request = { text: "a long enough text", voiceId: "scripted/one", language: "en-US" };
  await expect(collect(tts.speak(request, signal))).rejects.toMatchObject({ code: "provider_failed" });
  await expect(collect(tts.speak(request, signal))).resolves.not.toHaveLength(0);

  const llm = new ScriptedLlm(clock, [[{ afterMs: 0, event: { kind: "fail" } }]]);
  const llmRequest = { messages: [], tools: [], temperature: 0, language: "en-US" };
  await expect(collect(llm.reply(llmRequest, signal))).rejects.toMatchObject({ code: "provider_failed" });

  const stt = new ScriptedStt(clock, [{ atMs: 40, event: { kind: "fail" } }]);
  const events = collect(stt.open({ language: "en-US", rateHz: 8_000 }, signal).events);
  const failed = expect(events).rejects.toMatchObject({ code: "provider_failed" });
  await clock.play(40);
  await failed;
});

test("a manual clock runs callbacks in order of time and omits cancelled ones", () => {
  const clock = new ManualClock(epochMs(1_000));
  const ran: string[] = [];
  clock.after(20, () => ran.push(`later ${clock.nowMs()}`));
  clock.after(10, () => {
    ran.push(`sooner ${clock.nowMs()}`);
    clock.after(5, () => ran.push(`chained ${clock.nowMs()}`));
  });
  clock.after(12, () => ran.push("cancelled"))();
  clock.advance(15);
  expect(ran).toEqual(["sooner 10", "chained 15"]);
  expect(clock.pending).toBe(1);
  clock.advance(100);
  expect(ran.at(-1)).toBe("later 20");
  expect([clock.nowMs(), clock.epochMs()]).toEqual([115, 1_115]);
});
