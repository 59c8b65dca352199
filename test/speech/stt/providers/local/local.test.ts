// @module-tag stt

import { describe, expect, onTestFinished, test } from "vitest";
import {
  LOCAL_STT_FINAL_MS_MAX,
  LOCAL_STT_FIRST_INTERVAL_MS_MIN,
  LOCAL_STT_INTERIM_INTERVAL_MS_MIN,
  LOCAL_STT_PAUSE_MS,
  LOCAL_STT_PROMPT_INTERVAL_MS_MIN,
  LOCAL_STT_WINDOW_MS,
} from "../../../../../src/core/limits/speech-providers/local-speech.ts";
import { FRAME_MS } from "../../../../../src/core/limits/streams/media.ts";
import { DEFAULT_SEGMENTATION } from "../../../../../src/media/voice-activity/segmentation.ts";
import type { SttEvent } from "../../../../../src/speech/contracts.ts";
import { SpeechPool } from "../../../../../src/speech/local/pool/pool.ts";
import { FallbackStt } from "../../../../../src/speech/stt/fallback.ts";
import { createLocalStt } from "../../../../../src/speech/stt/providers/local/adapter.ts";
import { sttContract } from "../../../../contract/speech/stt.ts";
import {
  type ChildScript,
  scriptedChildren,
  spoken,
  spokenText,
} from "../../../../support/local-speech/scripted-child.ts";
import { ManualClock } from "../../../../support/manual-clock.ts";
import { breakerFor } from "../../../../support/providers/breakers.ts";
import { activityOfStream } from "../../../../support/speech-activity.ts";

const RATE_HZ = 16_000;
const HANGOVER_MS = DEFAULT_SEGMENTATION.hangoverMs;

function sttOf({ processes = 1, ...script }: ChildScript & { processes?: number } = {}) {
  const clock = new ManualClock();
  const { start, started } = scriptedChildren(clock, script);
  const pool = new SpeechPool({ processes, start, clock });
  onTestFinished(() => pool.close());
  return { clock, pool, started, stt: createLocalStt({ speech: pool, languages: ["en"] }) };
}

sttContract("local", async () => {
  const { clock, stt } = sttOf();
  const audio = new Int16Array(3 * RATE_HZ);
  audio.set(spoken(7, RATE_HZ));
  return { stt, rateHz: RATE_HZ, audio, text: spokenText(7), play: (ms) => clock.play(ms) };
});

/** Streams of an STT, each with the caller's speech as the call sees it. */
interface StreamSettings {
  hasFallback?: boolean;
  promptInterims?: boolean;
}

function streamsOf({ hasFallback, promptInterims, ...options }: Parameters<typeof sttOf>[0] & StreamSettings = {}) {
  const subject = sttOf(options);
  const open = (language = "en-US") => {
    const abortController = new AbortController();
    onTestFinished(() => abortController.abort());
    const settings = { ...(hasFallback && { hasFallback }), ...(promptInterims && { promptInterims }) };
    const stream = subject.stt.open({ language, rateHz: RATE_HZ, ...settings }, abortController.signal);
    const transcripts: (SttEvent & { atMs: number })[] = [];
    const failures: unknown[] = [];
    let audioMs = 0;
    void (async () => {
      for await (const event of stream.events) transcripts.push({ ...event, atMs: audioMs });
    })().catch((error: unknown) => failures.push(error));
    const activityOf = activityOfStream();
    const write = (frame: Int16Array): void => {
      audioMs += FRAME_MS;
      stream.write(frame, activityOf(frame.some((sample) => sample !== 0)));
    };
    const texts = (kind: SttEvent["kind"]) =>
      transcripts.filter((event) => event.kind === kind).map(({ text }) => text);
    return { stream, transcripts, failures, abortController, write, texts, audioMs: () => audioMs };
  };
  /** Writes audio to streams at the pace of speech. */
  const say = async (audio: Int16Array, ...streams: readonly ReturnType<typeof open>[]) => {
    const samples = (RATE_HZ * FRAME_MS) / 1_000;
    for (let at = 0; at + samples <= audio.length; at += samples) {
      for (const { write } of streams) write(audio.subarray(at, at + samples));
      await subject.clock.play(FRAME_MS);
    }
  };
  return { ...subject, open, say };
}

const silence = (ms: number) => new Int16Array((RATE_HZ * ms) / 1_000);

describe("local STT", () => {
  test("transcribes at a pause already, so that the final is there when the speech is over", async () => {
    const { open, say } = streamsOf();
    const call = open();
    await say(spoken(5, RATE_HZ), call);
    await say(silence(500), call);
    const final = call.transcripts.find(({ kind }) => kind === "final");
    expect(final).toEqual({ kind: "final", text: spokenText(5), atMs: 5 * 300 + HANGOVER_MS });
    expect(call.transcripts.at(-2)).toMatchObject({ kind: "interim", text: spokenText(5) });
  });

  test("a pause after which the caller goes on makes an interim, and the final covers all", async () => {
    const { open, say } = streamsOf();
    const call = open();
    await say(spoken(3, RATE_HZ), call);
    await say(silence(250), call);
    expect(call.texts("interim").at(-1)).toBe(spokenText(3));
    await say(spoken(5, RATE_HZ).subarray((3 * 300 * RATE_HZ) / 1_000), call);
    await say(silence(500), call);
    expect(call.texts("final")).toEqual([spokenText(5)]);
  });

  test("words while the transcript of a pause is made are in the final", async () => {
    const { open, say, started } = streamsOf({ passMs: () => 150 });
    const call = open();
    await say(spoken(2, RATE_HZ), call);
    await say(silence(LOCAL_STT_PAUSE_MS + 20), call);
    await say(spoken(3, RATE_HZ).subarray((2 * 300 * RATE_HZ) / 1_000), call);
    await say(silence(600), call);
    expect(call.texts("final")).toEqual([spokenText(3)]);
    expect(started[0]?.tasks.length).toBeGreaterThanOrEqual(2);
  });

  test("has the first words of speech within a second, however long the utterance before it was", async () => {
    const { open, say } = streamsOf({ passMs: ({ samples }) => 60 + samples.length / (RATE_HZ / 60) });
    const call = open();
    await say(silence(500), call);
    for (const words of [6, 20, 6]) {
      const startMs = call.audioMs();
      const before = call.transcripts.length;
      await say(spoken(words, RATE_HZ), call);
      const first = call.transcripts[before];
      expect(first).toMatchObject({ kind: "interim", text: expect.stringMatching(/^one/) });
      expect((first?.atMs ?? Number.NaN) - startMs).toBeLessThan(1_000);
      await say(silence(1_000), call);
    }
  });

  test("leaves at least half a second between passes once it has emitted words", async () => {
    const at: number[] = [];
    const { open, say, clock } = streamsOf({
      passMs: () => {
        at.push(Number(clock.nowMs()));
        return 20;
      },
    });
    const call = open();
    await say(spoken(20, RATE_HZ), call);
    const [first, second, ...later] = at.slice(1).map((ms, index) => ms - (at[index] as number) - 20);
    expect(call.transcripts[0]?.atMs).toBeLessThan(2 * LOCAL_STT_INTERIM_INTERVAL_MS_MIN);
    expect(first).toBeLessThan(LOCAL_STT_INTERIM_INTERVAL_MS_MIN);
    expect(Math.min(second as number, ...later)).toBeGreaterThanOrEqual(LOCAL_STT_INTERIM_INTERVAL_MS_MIN);
  });

  test("emits the words on which two passes agree, and never takes one back", async () => {
    const passes = ["I scream", "ice cream please", "ice cream please do", "I scream peas do now"];
    const { open, say } = streamsOf({ transcribe: () => passes.shift() ?? "ice cream please do now" });
    const call = open();
    await say(spoken(10, RATE_HZ), call);
    expect(call.texts("interim")).toEqual(["ice cream please"]);
    await say(silence(500), call);
    expect(call.texts("final")).toEqual(["ice cream please do now"]);
  });

  test("shows the reader of a live transcription every pass as it is, and none twice", async () => {
    const passes = ["", "I scream", "ice cream", "ice cream", "ice cream please"];
    const { open, say } = streamsOf({
      promptInterims: true,
      transcribe: () => passes.shift() ?? "ice cream please do",
    });
    const call = open();
    await say(spoken(10, RATE_HZ), call);
    await say(silence(500), call);
    expect(call.texts("interim")).toEqual(["I scream", "ice cream", "ice cream please", "ice cream please do"]);
    expect(call.texts("final")).toEqual(["ice cream please do"]);
  });

  test("leaves at least three times as much audio between passes as a pass takes", async () => {
    const at: number[] = [];
    const { open, say, clock } = streamsOf({
      passMs: () => {
        at.push(Number(clock.nowMs()));
        return 400;
      },
    });
    await say(spoken(20, RATE_HZ), open());
    const distances = at.slice(1).map((ms, index) => ms - (at[index] as number) - 400);
    expect(at[0]).toBeGreaterThanOrEqual(LOCAL_STT_FIRST_INTERVAL_MS_MIN);
    expect(Math.min(...distances)).toBeGreaterThanOrEqual(3 * 400);
    expect(distances.length).toBeGreaterThanOrEqual(2);
  });

  test("leaves a tenth of a second between passes of a live transcription, however long they take", async () => {
    const at: number[] = [];
    const { open, say, clock } = streamsOf({
      promptInterims: true,
      passMs: () => {
        at.push(Number(clock.nowMs()));
        return 400;
      },
    });
    await say(spoken(20, RATE_HZ), open());
    const [, ...distances] = at.slice(1).map((ms, index) => ms - (at[index] as number) - 400);
    expect(Math.min(...distances)).toBeGreaterThanOrEqual(LOCAL_STT_PROMPT_INTERVAL_MS_MIN);
    expect(Math.max(...distances)).toBeLessThanOrEqual(LOCAL_STT_PROMPT_INTERVAL_MS_MIN + 2 * FRAME_MS);
  });

  test("a live transcription leaves three times as much audio as its pass had to wait for others", async () => {
    const tasks: { atMs: number; samples: number }[] = [];
    const { open, say, clock } = streamsOf({
      promptInterims: true,
      passMs: ({ samples }) => {
        tasks.push({ atMs: Number(clock.nowMs()), samples: samples.length });
        return 200;
      },
    });
    const [one, other] = [open(), open()];
    await say(spoken(20, RATE_HZ), one, other);
    const perStream = tasks.length / 2;
    // Alone, a stream has a pass every 300 ms.
    expect(perStream).toBeLessThan((20 * 300) / 400);
    expect(perStream).toBeGreaterThan((20 * 300) / 1_200);
    for (const { transcripts } of [one, other]) expect(transcripts.length).toBeGreaterThan(2);
  });

  test("hears an utterance of 90 s in windows of 8 s, without losing or doubling a word", async () => {
    const { open, say, started } = streamsOf({ passMs: ({ samples }) => samples.length / RATE_HZ / 0.016 });
    const call = open();
    // With pauses between the words that are too short for the call to see.
    await say(spoken(225, RATE_HZ, 100), call);
    await say(silence(1_500), call);
    expect(call.texts("final").join(" ").split(" ")).toEqual(spokenText(225).split(" "));
    const longest = Math.max(...(started[0]?.tasks.map((task) => task.samples.length) ?? []));
    expect((longest * 1_000) / RATE_HZ).toBe(LOCAL_STT_WINDOW_MS);
    expect(call.texts("interim").length).toBeGreaterThan(20);
  });

  test("an empty final says that there were no words", async () => {
    const { open, say } = streamsOf({ transcribe: () => "" });
    const call = open();
    await say(spoken(5, RATE_HZ), call);
    await say(silence(500), call);
    expect(call.transcripts).toEqual([{ kind: "final", text: "", atMs: 5 * 300 + HANGOVER_MS }]);
  });

  test("accepts 8,000 Hz, which its process resamples", async () => {
    const { stt, started, clock } = sttOf();
    expect(stt.capabilities.ratesHz).toEqual([16_000, 8_000]);
    const abortController = new AbortController();
    onTestFinished(() => abortController.abort());
    const stream = stt.open({ language: "en", rateHz: 8_000 }, abortController.signal);
    const activityOf = activityOfStream();
    for (let frame = 0; frame < 40; frame += 1) {
      stream.write(new Int16Array(160).fill(frame < 25 ? 100 : 0), activityOf(frame < 25));
      await clock.play(FRAME_MS);
    }
    expect(started[0]?.tasks[0]?.rateHz).toBe(8_000);
  });

  test("refuses a language that its model does not know, as a request that no retry changes", async () => {
    const { open, clock } = streamsOf();
    const call = open("de-AT");
    await clock.play(0);
    expect(call.failures).toMatchObject([{ code: "provider_failed", cause: { status: 400 } }]);
  });

  test("twenty calls at once: interims back off, every final comes, and those that are late say so", async () => {
    const { open, say, started } = streamsOf({ passMs: ({ samples }) => samples.length / 160 });
    const calls = Array.from({ length: 20 }, () => open());
    for (let turn = 0; turn < 2; turn += 1) {
      await say(spoken(10, RATE_HZ), ...calls);
      await say(silence(8_000), ...calls);
    }
    for (const call of calls) {
      expect(call.texts("final")).toEqual([spokenText(10), spokenText(10)]);
      expect(call.failures).toEqual([]);
    }
    const late = calls.flatMap(({ transcripts }) =>
      transcripts.flatMap(({ lateMs = 0 }) => (lateMs > 0 ? [lateMs] : [])),
    );
    expect(late.length).toBeGreaterThan(0);
    expect(Math.max(...late)).toBeLessThan(8_000);
    // A pass of 3 s takes 300 ms: without backing off there would be 5 interims for each of the 40 utterances.
    expect(started[0]?.tasks.length).toBeLessThan(40 * 3);
  });

  test("where another provider follows, the stream times out when a final is overdue", async () => {
    const { open, say } = streamsOf({ hasFallback: true, passMs: () => 3_000 });
    const call = open();
    await say(spoken(2, RATE_HZ), call);
    await say(silence(HANGOVER_MS + LOCAL_STT_FINAL_MS_MAX - 2 * FRAME_MS), call);
    expect(call.failures).toEqual([]);
    await say(silence(3 * FRAME_MS), call);
    expect(call.failures).toMatchObject([{ code: "provider_failed", cause: { timedOut: true } }]);
  });

  test("the next provider gets the audio of an overdue final, and transcribes it", async () => {
    const clock = new ManualClock();
    const candidateOf = (script: ChildScript) => {
      const pool = new SpeechPool({ processes: 1, start: scriptedChildren(clock, script).start, clock });
      onTestFinished(() => pool.close());
      const stt = createLocalStt({ speech: pool, languages: ["en"] });
      return { stt, circuitBreaker: breakerFor("stt", "local", clock).circuitBreaker };
    };
    const stt = new FallbackStt([candidateOf({ passMs: () => 60_000 }), candidateOf({})], clock);
    const abortController = new AbortController();
    onTestFinished(() => abortController.abort());
    const stream = stt.open({ language: "en-US", rateHz: RATE_HZ }, abortController.signal);
    const finals: string[] = [];
    void (async () => {
      for await (const { kind, text } of stream.events) if (kind === "final") finals.push(text);
    })();
    const activityOf = activityOfStream();
    const audio = new Int16Array(4 * RATE_HZ);
    audio.set(spoken(5, RATE_HZ));
    for (let at = 0; at < audio.length; at += 320) {
      const frame = audio.subarray(at, at + 320);
      stream.write(frame, activityOf(frame.some((sample) => sample !== 0)));
      await clock.play(FRAME_MS);
    }
    await clock.play(500);
    expect(finals).toEqual([spokenText(5)]);
  });

  test("where it is alone, speech without a transcript for long is no failure: its final comes", async () => {
    const { clock, stt } = sttOf({ passMs: () => 9_000 });
    const alone = new FallbackStt([{ stt, circuitBreaker: breakerFor("stt", "local", clock).circuitBreaker }], clock);
    const abortController = new AbortController();
    onTestFinished(() => abortController.abort());
    const stream = alone.open({ language: "en-US", rateHz: RATE_HZ }, abortController.signal);
    const finals: SttEvent[] = [];
    void (async () => {
      for await (const event of stream.events) if (event.kind === "final") finals.push(event);
    })();
    const activityOf = activityOfStream();
    const audio = new Int16Array(20 * RATE_HZ);
    audio.set(spoken(24, RATE_HZ));
    for (let at = 0; at < audio.length; at += 320) {
      const frame = audio.subarray(at, at + 320);
      stream.write(frame, activityOf(frame.some((sample) => sample !== 0)));
      await clock.play(FRAME_MS);
    }
    await clock.play(20_000);
    expect(finals).toEqual([{ kind: "final", text: spokenText(24), lateMs: expect.any(Number) }]);
  });

  test("fails as a provider fails where its model cannot be loaded", async () => {
    const { open, say } = streamsOf({ loadMs: () => "encoder_model.onnx is truncated" });
    const call = open();
    await say(spoken(3, RATE_HZ), call);
    await say(silence(500), call);
    expect(call.failures).toMatchObject([
      { message: "local: the model could not be loaded: encoder_model.onnx is truncated" },
    ]);
  });

  test("a process that dies costs an utterance a retry and no words", async () => {
    const { open, say, started, clock } = streamsOf();
    const call = open();
    await say(spoken(4, RATE_HZ), call);
    await say(silence(LOCAL_STT_PAUSE_MS + 20), call);
    started.at(-1)?.die();
    await say(silence(600), call);
    await clock.play(0);
    expect(call.texts("final")).toEqual([spokenText(4)]);
    expect(call.failures).toEqual([]);
    expect(started).toHaveLength(2);
  });

  test("after an abort it leaves the queue", async () => {
    const { open, say, pool } = streamsOf({ passMs: () => 2_000 });
    const [first, second] = [open(), open()];
    await say(spoken(3, RATE_HZ), first, second);
    await say(silence(HANGOVER_MS + 100), first, second);
    expect(pool.readings.waiting.final).toBe(1);
    first.abortController.abort();
    second.abortController.abort();
    expect(pool.readings.waiting).toEqual({ final: 0, turn: 0, pause: 0, interim: 0, batch: 0 });
  });
});
