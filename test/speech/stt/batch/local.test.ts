import { describe, expect, onTestFinished, test } from "vitest";
import { LOCAL_SPEECH_JOB_MS_MAX } from "../../../../src/core/limits/speech-providers/local-speech.ts";
import { BATCH_REQUEST_MS_MAX } from "../../../../src/core/limits/transcriptions/batch-stt.ts";
import { SpeechPool } from "../../../../src/speech/local/pool/pool.ts";
import { transcribeInTime } from "../../../../src/speech/stt/batch/fallback.ts";
import { createLocalBatchStt } from "../../../../src/speech/stt/providers/local/batch.ts";
import { anyBatchSttContract, requestOf, transcribed } from "../../../contract/speech/batch-stt.ts";
import {
  type ChildScript,
  heard,
  scriptedChildren,
  spoken,
  spokenText,
} from "../../../support/local-speech/scripted-child.ts";
import { ManualClock } from "../../../support/manual-clock.ts";

async function localOf(script: ChildScript = {}) {
  const clock = new ManualClock();
  const { start, started } = scriptedChildren(clock, script);
  const speech = new SpeechPool({ processes: 1, start, clock });
  onTestFinished(() => speech.close());
  await clock.play(0);
  return { clock, speech, started, stt: createLocalBatchStt({ speech, languages: ["en"], processes: 1 }) };
}

anyBatchSttContract("local", async () => {
  const { clock, stt } = await localOf();
  return { stt, samples: spoken(30, 16_000), text: spokenText(30), drive: (pending) => clock.drive(pending) };
});

const textOf = (words: readonly { text: string }[]): string => words.map(({ text }) => text).join(" ");

describe("the batch adapter of the local models", () => {
  test("waits for calls as long as they need the model", async () => {
    const passMs = LOCAL_SPEECH_JOB_MS_MAX / 2;
    const { clock, speech, stt } = await localOf({ passMs: () => passMs });
    const samples = new Int16Array(16_000);
    const call = () => speech.submit({ kind: "transcribe", samples, rateHz: 16_000, language: "en" }, "final");
    call();
    const request = { ...requestOf(), samples: spoken(2, 16_000) };
    const pending = transcribeInTime(stt, request, new AbortController().signal, clock);
    for (let busyMs = 0; busyMs <= BATCH_REQUEST_MS_MAX; busyMs += passMs) {
      call();
      await clock.play(passMs);
    }
    expect(textOf((await clock.drive(pending)).words)).toBe(spokenText(2));
  });

  test("hears a part in windows, as it hears the utterances of calls, and loses no word between them", async () => {
    const { clock, stt, started } = await localOf();
    const samples = spoken(70, 16_000, 100);
    const { words, hasEstimatedTimes } = await clock.drive(transcribed(stt, { samples }));
    expect(textOf(words)).toBe(spokenText(70));
    expect(hasEstimatedTimes).toBe(true);
    expect(started[0]?.tasks.map((task) => task.samples.length / 16_000).every((lengthS) => lengthS <= 8)).toBe(true);
  });

  test("estimates the times of words by their letters, where there is sound", async () => {
    const { clock, stt } = await localOf();
    const samples = new Int16Array(3 * 16_000);
    samples.set(spoken(1, 16_000), 16_000);
    const { words } = await clock.drive(transcribed(stt, { samples }));
    expect(words).toEqual([{ text: "one", startMs: 1_000, endMs: 1_300 }]);
  });

  test("hears what follows a pause by itself, and not the pause", async () => {
    const { clock, stt, started } = await localOf();
    const samples = new Int16Array(6 * 16_000);
    samples.set(spoken(2, 16_000), 16_000);
    samples.set(spoken(1, 16_000), 4 * 16_000);
    const { words } = await clock.drive(transcribed(stt, { samples }));
    expect(words.map(({ text, startMs }) => [text, startMs])).toEqual([
      ["one", 1_000],
      ["two", 1_300],
      ["one", 4_000],
    ]);
    expect(started[0]?.tasks.map((task) => task.samples.length / 16)).toEqual([1_000, 700]);
  });

  test("is not asked about silence, for which a model invents words", async () => {
    const { stt, started } = await localOf({ transcribe: () => "Thank you." });
    expect((await transcribed(stt, { samples: new Int16Array(16_000) })).words).toEqual([]);
    expect((await transcribed(stt, { samples: new Int16Array(0) })).words).toEqual([]);
    expect(started[0]?.tasks).toEqual([]);
  });

  test("leaves its process to a final of a call, and has all words in the end", async () => {
    const { clock, stt, speech } = await localOf({ passMs: () => 500, transcribe: heard });
    const samples = spoken(5, 16_000);
    const pending = transcribed(stt, { samples });
    await clock.play(100);
    const final = speech.submit({ kind: "transcribe", samples, rateHz: 16_000, language: "en" }, "final");
    await clock.play(505);
    expect(await final.outcome).toMatchObject({ outcome: "done", waitMs: 5 });
    await clock.play(500);
    expect(textOf((await pending).words)).toBe(spokenText(5));
  });

  test("refuses a language that its model does not know, which is no failure of it", async () => {
    const { stt } = await localOf();
    await expect(transcribed(stt, { language: "de" })).rejects.toMatchObject({
      code: "provider_failed",
      cause: { status: 400 },
    });
    expect(stt.capabilities).toMatchObject({ detectsLanguage: false, vocabulary: false });
  });

  test("fails when its processes do", async () => {
    const { clock, stt, speech } = await localOf({ passMs: () => undefined });
    const pending = transcribed(stt, { samples: spoken(1, 16_000) });
    const failed = expect(pending).rejects.toThrow("local: closed");
    await clock.play(10);
    speech.close();
    await failed;
  });

  test("an abort cancels its job and rejects with the reason", async () => {
    const { clock, stt, speech } = await localOf({ passMs: () => undefined });
    const abortController = new AbortController();
    const pending = transcribed(stt, { samples: spoken(1, 16_000) }, abortController.signal);
    const failed = expect(pending).rejects.toBe("cancelled");
    await clock.play(10);
    abortController.abort("cancelled");
    await failed;
    expect(speech.readings.waiting.batch).toBe(0);
    await expect(transcribed(stt, {}, AbortSignal.abort("before"))).rejects.toBe("before");
  });
});
