import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../../src/call/events.ts";
import { callMs, type MonotonicMs, millisecondsOf } from "../../../src/core/clocks.ts";
import { asTurnId } from "../../../src/core/ids.ts";
import { OUTPUT_RING_FRAMES_MAX } from "../../../src/core/limits/streams/media.ts";
import { TtsOutput } from "../../../src/gateway/agent/tts-output.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { ScriptedTts, type ScriptedTtsOptions } from "../../support/providers/scripted-tts.ts";

const makeResampler = await loadResampler();

function make(options: ScriptedTtsOptions = {}) {
  const events: CallEvent[] = [];
  const clock = new ManualClock();
  const tts = new ScriptedTts(clock, options);
  /** When it reported that audio is ready. */
  const ready: MonotonicMs[] = [];
  const firstAudioMs: number[] = [];
  const output = new TtsOutput({
    tts,
    voiceId: "fake/voice",
    language: "en",
    rateHz: 8_000,
    codec: "pcm_s16le",
    makeResampler,
    rewindMsMax: 0,
    deliver: (event) => events.push(event),
    onError: (_error, event) => events.push(event),
    onFirstAudio: (tookMs) => firstAudioMs.push(tookMs),
    nowMs: () => callMs(millisecondsOf(clock.nowMs())),
    onReady: () => ready.push(clock.nowMs()),
  });
  return { events, output, clock, tts, ready, firstAudioMs };
}

/**
 * Takes all available frames and lets the synthesis run in between; returns how many frames of each reply there were.
 */
async function drain(output: TtsOutput): Promise<number[]> {
  const turnIds: number[] = [];
  for (;;) {
    await settled();
    const frame = output.shift();
    if (frame === undefined) return turnIds;
    turnIds.push(frame.turnId);
  }
}

const ends = (events: readonly CallEvent[]) => events.filter((event) => event.kind === "segment-end");

describe("the TTS output", () => {
  test("turns segments into whole frames in order, and reports their lengths in samples", async () => {
    const { events, output } = make();
    output.speak(asTurnId(1), 0, "Hello there.");
    output.speak(asTurnId(1), 1, "How are you?");
    const frames = await drain(output);
    const samples = ends(events).map((event) => (event.kind === "segment-end" ? event.samples : 0));
    expect(samples).toHaveLength(2);
    expect(samples.map((count) => count % 160)).toEqual([0, 0]);
    expect(frames).toHaveLength(samples.reduce((sum, count) => sum + count, 0) / 160);
  });

  test("reports words before any frame that holds them can be taken", async () => {
    const { events, output } = make();
    output.speak(asTurnId(1), 0, "Hello there.");
    await settled();
    expect(output.shift()?.turnId).toBe(1);
    expect(events.some((event) => event.kind === "segment-audio" && event.words.length > 0)).toBe(true);
  });

  test("sends nothing before a cushion of 200 ms is filled, unless that is all there is", async () => {
    const { output, clock } = make({ chunkMs: 80, perChunkMs: 50 });
    output.speak(asTurnId(1), 0, "Hello there my friend.");
    await clock.play(0);
    expect(output.shift()).toBeUndefined();
    await clock.play(50);
    expect(output.shift()).toBeUndefined();
    await clock.play(50);
    expect(output.shift()?.turnId).toBe(1);
    const { output: short } = make();
    short.speak(asTurnId(1), 0, "Ah");
    await settled();
    expect(short.shift()?.turnId).toBe(1);
  });

  test("reports once, as soon as there is audio to send", async () => {
    const { output, clock, ready } = make({ chunkMs: 80, perChunkMs: 50 });
    output.speak(asTurnId(1), 0, "Hello there my friend.");
    await clock.play(0);
    await clock.play(50);
    expect(ready).toEqual([]);
    await clock.play(50);
    expect(ready).toEqual([clock.nowMs()]);
    expect(output.shift()?.turnId).toBe(1);
    await clock.play(1_000);
    expect(ready).toHaveLength(1);
    const { output: short, ready: readyAtOnce } = make();
    short.speak(asTurnId(1), 0, "Ah");
    await settled();
    expect(readyAtOnce).toHaveLength(1);
  });

  test("reports how long the first audio of each segment took, from its request, and nothing where there is none", async () => {
    const { output, clock, firstAudioMs } = make({
      firstMs: 40,
      perChunkMs: 10,
      failing: { request: 2, afterChunks: 0 },
    });
    for (const [segment, text] of ["Hello.", "How are you?", "Goodbye."].entries())
      output.speak(asTurnId(1), segment, text);
    await clock.play(1_000);
    expect(firstAudioMs).toEqual([40, 40]);
  });

  test("counts an underrun of a slow TTS, and continues when the cushion is filled again", async () => {
    const { output, clock } = make({ chunkMs: 80, perChunkMs: 1_000 });
    output.speak(asTurnId(1), 0, "Hello there my dear friend.");
    await clock.play(2_000);
    let taken = 0;
    while (output.shift() !== undefined) taken += 1;
    expect([taken, output.underruns]).toEqual([12, 1]);
    await clock.play(1_000);
    expect(output.shift()).toBeUndefined();
    await clock.play(2_000);
    expect(output.shift()?.turnId).toBe(1);
    expect(output.underruns).toBe(1);
  });

  test("pulls the synthesis no further than the ring has room, and continues when there is room", async () => {
    const { events, output } = make();
    output.speak(asTurnId(1), 0, "word ".repeat(60).trim());
    await settled();
    expect(ends(events)).toEqual([]);
    let taken = 0;
    while (output.shift() !== undefined) taken += 1;
    expect(taken).toBe(OUTPUT_RING_FRAMES_MAX);
    const rest = await drain(output);
    expect(rest.length).toBeGreaterThan(100);
    expect(ends(events)).toHaveLength(1);
  });

  test("drops every frame on an interruption and ends the synthesis, and the next reply begins clean", async () => {
    const { events, output } = make();
    output.speak(asTurnId(1), 0, "word ".repeat(60).trim());
    await settled();
    output.cancel();
    expect(output.shift()).toBeUndefined();
    output.speak(asTurnId(2), 0, "Fine.");
    expect(new Set(await drain(output))).toEqual(new Set([2]));
    expect(ends(events)).toHaveLength(1);
  });

  test("speaks later segments with another voice once it is known; queued segments keep their own", async () => {
    const { output, tts } = make();
    output.speak(asTurnId(1), 0, "One.");
    output.speak(asTurnId(1), 1, "Two.");
    let know = (_voice: { voiceId: string; language: string }): void => {};
    output.setVoice(
      new Promise((resolve) => {
        know = resolve;
      }),
    );
    output.speak(asTurnId(1), 2, "Drei.");
    await drain(output);
    expect(tts.requests.map(({ text }) => text)).toEqual(["One.", "Two."]);
    know({ voiceId: "fake/german", language: "de" });
    await drain(output);
    expect(tts.requests).toEqual([
      { text: "One.", voiceId: "fake/voice", language: "en", rateHz: 8_000 },
      { text: "Two.", voiceId: "fake/voice", language: "en", rateHz: 8_000 },
      { text: "Drei.", voiceId: "fake/german", language: "de", rateHz: 8_000 },
    ]);
  });

  test("resamples another rate to the leg's, with the correct length", async () => {
    const { events, output } = make({ rateHz: 22_050 });
    output.speak(asTurnId(1), 0, "Hello there my friend.");
    const frames = await drain(output);
    const { output: native } = make();
    native.speak(asTurnId(1), 0, "Hello there my friend.");
    expect(frames.length).toBe((await drain(native)).length);
    expect(ends(events)).toHaveLength(1);
  });

  test("reports a TTS failure once, and still speaks the segments that follow", async () => {
    const { events, output } = make({ failing: { request: 0, afterChunks: 1 } });
    output.speak(asTurnId(1), 0, "Hello there.");
    output.speak(asTurnId(1), 1, "How are you?");
    await drain(output);
    expect(events.filter((event) => event.kind === "segment-failed")).toEqual([
      { kind: "segment-failed", turnId: 1, segment: 0, code: "provider_failed" },
    ]);
    expect(ends(events)).toHaveLength(1);
  });
});
