import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../../src/call/events.ts";
import { OUTPUT_RING_FRAMES_MAX } from "../../../src/core/limits/media.ts";
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
  const ready: number[] = [];
  const voiceOut = new TtsOutput({
    tts,
    voiceId: "fake/voice",
    language: "en",
    rateHz: 8_000,
    codec: "pcm_s16le",
    makeResampler,
    deliver: (event) => events.push(event),
    onError: (_error, event) => events.push(event),
    onReady: () => ready.push(clock.nowMs()),
  });
  return { events, voiceOut, clock, tts, ready };
}

/**
 * Takes all available frames and lets the synthesis run in between; returns how many frames of each reply there were.
 */
async function drain(voiceOut: TtsOutput): Promise<number[]> {
  const turnIds: number[] = [];
  for (;;) {
    await settled();
    const frame = voiceOut.shift();
    if (frame === undefined) return turnIds;
    turnIds.push(frame.turnId);
  }
}

const ends = (events: readonly CallEvent[]) => events.filter((event) => event.kind === "segment-end");

describe("the TTS output", () => {
  test("turns segments into whole frames in order, and reports their lengths in samples", async () => {
    const { events, voiceOut } = make();
    voiceOut.speak(1, 0, "Hello there.");
    voiceOut.speak(1, 1, "How are you?");
    const frames = await drain(voiceOut);
    const samples = ends(events).map((event) => (event.kind === "segment-end" ? event.samples : 0));
    expect(samples).toHaveLength(2);
    expect(samples.map((count) => count % 160)).toEqual([0, 0]);
    expect(frames).toHaveLength(samples.reduce((sum, count) => sum + count, 0) / 160);
  });

  test("reports words before any frame that holds them can be taken", async () => {
    const { events, voiceOut } = make();
    voiceOut.speak(1, 0, "Hello there.");
    await settled();
    expect(voiceOut.shift()?.turnId).toBe(1);
    expect(events.some((event) => event.kind === "segment-audio" && event.words.length > 0)).toBe(true);
  });

  test("sends nothing before a cushion of 200 ms is filled, unless that is all there is", async () => {
    const { voiceOut, clock } = make({ chunkMs: 80, perChunkMs: 50 });
    voiceOut.speak(1, 0, "Hello there my friend.");
    await clock.play(0);
    expect(voiceOut.shift()).toBeUndefined();
    await clock.play(50);
    expect(voiceOut.shift()).toBeUndefined();
    await clock.play(50);
    expect(voiceOut.shift()?.turnId).toBe(1);
    const { voiceOut: short } = make();
    short.speak(1, 0, "Ah");
    await settled();
    expect(short.shift()?.turnId).toBe(1);
  });

  test("reports once, as soon as there is audio to send", async () => {
    const { voiceOut, clock, ready } = make({ chunkMs: 80, perChunkMs: 50 });
    voiceOut.speak(1, 0, "Hello there my friend.");
    await clock.play(0);
    await clock.play(50);
    expect(ready).toEqual([]);
    await clock.play(50);
    expect(ready).toEqual([clock.nowMs()]);
    expect(voiceOut.shift()?.turnId).toBe(1);
    await clock.play(1_000);
    expect(ready).toHaveLength(1);
    const { voiceOut: short, ready: readyAtOnce } = make();
    short.speak(1, 0, "Ah");
    await settled();
    expect(readyAtOnce).toHaveLength(1);
  });

  test("counts an underrun of a slow TTS, and continues when the cushion is filled again", async () => {
    const { voiceOut, clock } = make({ chunkMs: 80, perChunkMs: 1_000 });
    voiceOut.speak(1, 0, "Hello there my dear friend.");
    await clock.play(2_000);
    let taken = 0;
    while (voiceOut.shift() !== undefined) taken += 1;
    expect([taken, voiceOut.underruns]).toEqual([12, 1]);
    await clock.play(1_000);
    expect(voiceOut.shift()).toBeUndefined();
    await clock.play(2_000);
    expect(voiceOut.shift()?.turnId).toBe(1);
    expect(voiceOut.underruns).toBe(1);
  });

  test("pulls the synthesis no further than the ring has room, and continues when there is room", async () => {
    const { events, voiceOut } = make();
    voiceOut.speak(1, 0, "word ".repeat(60).trim());
    await settled();
    expect(ends(events)).toEqual([]);
    let taken = 0;
    while (voiceOut.shift() !== undefined) taken += 1;
    expect(taken).toBe(OUTPUT_RING_FRAMES_MAX);
    const rest = await drain(voiceOut);
    expect(rest.length).toBeGreaterThan(100);
    expect(ends(events)).toHaveLength(1);
  });

  test("drops every frame on an interruption and ends the synthesis, and the next reply begins clean", async () => {
    const { events, voiceOut } = make();
    voiceOut.speak(1, 0, "word ".repeat(60).trim());
    await settled();
    voiceOut.cancel();
    expect(voiceOut.shift()).toBeUndefined();
    voiceOut.speak(2, 0, "Fine.");
    expect(new Set(await drain(voiceOut))).toEqual(new Set([2]));
    expect(ends(events)).toHaveLength(1);
  });

  test("speaks later segments with another voice once it is known; queued segments keep their own", async () => {
    const { voiceOut, tts } = make();
    voiceOut.speak(1, 0, "One.");
    voiceOut.speak(1, 1, "Two.");
    let know = (_voice: { voiceId: string; language: string }): void => {};
    voiceOut.setVoice(
      new Promise((resolve) => {
        know = resolve;
      }),
    );
    voiceOut.speak(1, 2, "Drei.");
    await drain(voiceOut);
    expect(tts.requests.map(({ text }) => text)).toEqual(["One.", "Two."]);
    know({ voiceId: "fake/german", language: "de" });
    await drain(voiceOut);
    expect(tts.requests).toEqual([
      { text: "One.", voiceId: "fake/voice", language: "en", rateHz: 8_000 },
      { text: "Two.", voiceId: "fake/voice", language: "en", rateHz: 8_000 },
      { text: "Drei.", voiceId: "fake/german", language: "de", rateHz: 8_000 },
    ]);
  });

  test("resamples another rate to the leg's, with the correct length", async () => {
    const { events, voiceOut } = make({ rateHz: 22_050 });
    voiceOut.speak(1, 0, "Hello there my friend.");
    const frames = await drain(voiceOut);
    const { voiceOut: native } = make();
    native.speak(1, 0, "Hello there my friend.");
    expect(frames.length).toBe((await drain(native)).length);
    expect(ends(events)).toHaveLength(1);
  });

  test("reports a TTS failure once, and still speaks the segments that follow", async () => {
    const { events, voiceOut } = make({ failing: { request: 0, afterChunks: 1 } });
    voiceOut.speak(1, 0, "Hello there.");
    voiceOut.speak(1, 1, "How are you?");
    await drain(voiceOut);
    expect(events.filter((event) => event.kind === "segment-failed")).toEqual([
      { kind: "segment-failed", turnId: 1, piece: 0, code: "provider_failed" },
    ]);
    expect(ends(events)).toHaveLength(1);
  });
});
