import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../../src/call/events.ts";
import { callMsAt, mediaMs } from "../../../src/core/clocks.ts";
import { TURN_TEXT_CHARS_MAX } from "../../../src/core/limits/calls/calls.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { SttInput, type SttInputOptions } from "../../../src/gateway/agent/stt-input.ts";
import type { Resampler } from "../../../src/media/resampler.ts";
import { DEFAULT_SEGMENTATION, type SegmentationParameters } from "../../../src/media/voice-activity/segmentation.ts";
import { SpeechSegmenter } from "../../../src/media/voice-activity/segmenter.ts";
import type { ProviderObserver, Stt } from "../../../src/speech/contracts.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { ScriptedStt, type SttStep } from "../../support/providers/scripted-stt.ts";

const BUS_RATE_HZ = 16_000;
const FRAME = new Int16Array(320);

const OBSERVER: ProviderObserver = {
  failedOver: () => {},
  contextExceeded: () => {},
  responded: () => {},
  requesting: () => {},
  used: () => {},
};

const final = (atMs: number, text: string, language?: string): SttStep => ({
  atMs,
  event: { kind: "final", text, ...(language === undefined ? {} : { language }) },
});

interface RunOptions {
  script?: readonly SttStep[];
  capabilities?: Partial<Stt["capabilities"]>;
  spec?: Partial<SttInputOptions["spec"]>;
  segmentation?: Partial<SegmentationParameters>;
}

/** A started input, what it delivered and measured, and the resamplers it made. */
function start({ script = [], capabilities, spec, segmentation }: RunOptions = {}) {
  const clock = new ManualClock();
  const stt = new ScriptedStt(clock, script, capabilities);
  const { log, lines } = memoryLog();
  const events: CallEvent[] = [];
  const startMs = clock.nowMs();
  const nowMs = () => callMsAt(startMs, clock.nowMs());
  const latenciesMs: number[] = [];
  const errors: unknown[] = [];
  const resamplers: { fromHz: number; toHz: number; isDestroyed: boolean }[] = [];
  const input = new SttInput({
    spec: { language: "en", languagePinned: false, ...spec },
    busRateHz: BUS_RATE_HZ,
    stt,
    observer: OBSERVER,
    makeResampler: (fromHz, toHz) => {
      const made = { fromHz, toHz, isDestroyed: false };
      resamplers.push(made);
      return {
        process: (samples) => new Int16Array((samples.length * toHz) / fromHz),
        flush: () => new Int16Array(0),
        destroy: () => {
          made.isDestroyed = true;
        },
      } satisfies Resampler;
    },
    log,
    nowMs,
    deliver: (event) => events.push(event),
    onLatency: (durationMs) => latenciesMs.push(durationMs),
    onError: (error) => errors.push(error),
  });
  input.start();
  const segmenter = new SpeechSegmenter({ ...DEFAULT_SEGMENTATION, settleMs: 0, ...segmentation });
  let positionMs = 0;
  /** Frames of the caller, the first of them after `missedFrames` that the carrier did not send. */
  const speak = (frames: number, isSpeech = true, missedFrames = 0): void => {
    positionMs += missedFrames * FRAME_MS;
    for (let frame = 0; frame < frames; frame += 1) {
      segmenter.frame(isSpeech, mediaMs(positionMs), nowMs());
      positionMs += FRAME_MS;
      input.writeFrame(FRAME, segmenter, frame === 0 ? missedFrames : 0, nowMs());
    }
  };
  return { input, segmenter, clock, stt, lines, events, latenciesMs, errors, resamplers, speak };
}

describe("the rate of the stream", () => {
  test("is that of the caller's frames when the STT accepts it", () => {
    const { stt, resamplers, speak } = start({ capabilities: { ratesHz: [8_000, BUS_RATE_HZ] } });
    speak(2);
    expect(stt.opened).toMatchObject([{ rateHz: BUS_RATE_HZ, samples: 640, voicedFrames: 2 }]);
    expect(resamplers).toEqual([]);
  });

  test("is otherwise the first that the STT accepts, and frames and silence are resampled to it", () => {
    const { stt, resamplers, speak, input, segmenter } = start({ capabilities: { ratesHz: [8_000, 24_000] } });
    speak(1);
    input.tick(3, segmenter);
    expect(stt.opened).toMatchObject([{ rateHz: 8_000, samples: 4 * 160, voicedFrames: 1 }]);
    expect(resamplers).toEqual([{ fromHz: BUS_RATE_HZ, toHz: 8_000, isDestroyed: false }]);
  });

  test("must exist: an STT without one is refused by its name", () => {
    expect(() => start({ capabilities: { ratesHz: [] } })).toThrow("the STT scripted supports no sample rate");
  });
});

describe("a suspended stream", () => {
  test("delivers what was said before, and ends after 5 s; its successor has the language of the call", async () => {
    const { input, stt, clock, events, segmenter, resamplers, speak } = start({
      script: [final(2_000, "one moment")],
      capabilities: { ratesHz: [8_000] },
    });
    speak(10);
    input.suspend(segmenter);
    await clock.play(2_500);
    input.tick(0, segmenter);
    expect(events).toMatchObject([{ kind: "stt-final", text: "one moment" }]);
    input.setLanguage("de");
    await clock.play(2_600);
    input.tick(0, segmenter);
    expect(stt.signals[0]?.aborted).toBe(true);
    input.resume();
    speak(1);
    expect(stt.opened).toMatchObject([{ language: "en" }, { language: "de", frames: 1 }]);
    expect(resamplers.map(({ isDestroyed }) => isDestroyed)).toEqual([true, false]);
  });

  test("that has failed has no successor: the call was given the failure", async () => {
    const { input, stt, clock, errors, segmenter } = start({ script: [{ atMs: 1_000, event: { kind: "fail" } }] });
    input.suspend(segmenter);
    await clock.play(5_100);
    input.tick(0, segmenter);
    input.resume();
    await clock.play(2_000);
    expect(errors).toHaveLength(1);
    expect(stt.opened).toHaveLength(1);
  });

  test("is not ended by a failure that it has afterwards", async () => {
    const { input, stt, clock, errors, segmenter, speak } = start({
      script: [{ atMs: 6_000, event: { kind: "fail" } }],
    });
    input.suspend(segmenter);
    await clock.play(5_100);
    input.tick(0, segmenter);
    await clock.play(2_000);
    input.resume();
    speak(1);
    expect(errors).toEqual([]);
    expect(stt.opened).toHaveLength(2);
  });
});

describe("the edges of speech", () => {
  test("come with the frames with which the call finds them", () => {
    const { stt, speak } = start();
    speak(10, false);
    speak(20);
    speak(30, false);
    expect(stt.opened[0]?.edges).toEqual([
      ["started", 12],
      ["ended", 44],
    ]);
  });

  test("are the same while the detector settles: the call and the STT ignore the same frames", () => {
    const { stt, speak } = start({ segmentation: { settleMs: 300 } });
    speak(12);
    speak(20, false);
    speak(10);
    expect(stt.opened[0]).toMatchObject({ edges: [["started", 34]], voicedFrames: 10, samples: 42 * FRAME.length });
  });

  test("come with the first frames where the detector needs no time to settle", () => {
    const { stt, speak } = start({ segmentation: { onsetSpeechFrames: 2, onsetWindowFrames: 3, settleMs: 0 } });
    speak(10);
    expect(stt.opened[0]?.edges).toEqual([["started", 1]]);
  });

  test("the end of speech comes with the silence for a gap that the carrier did not fill, before the next words", () => {
    const { stt, speak } = start();
    speak(10);
    speak(10, true, 16);
    expect(stt.opened[0]?.edges).toEqual([
      ["started", 2],
      ["ended", 25],
      ["started", 28],
    ]);
  });

  test("a gap that is no pause ends nothing", () => {
    const { stt, speak } = start();
    speak(10);
    speak(10, true, 12);
    expect(stt.opened[0]).toMatchObject({ edges: [["started", 2]], frames: 32 });
  });

  test("speech that ends because the carrier stops sending ends with the silence that the STT gets instead", () => {
    const { input, stt, segmenter, speak } = start();
    speak(10);
    segmenter.framesStopped();
    input.tick(25, segmenter);
    speak(5, false, 0);
    expect(stt.opened[0]?.edges).toEqual([
      ["started", 2],
      ["ended", 34],
    ]);
  });
});

test("speech that ends in the call before the STT gets silence ends with one frame of it, and only once", () => {
  const { input, stt, segmenter, speak } = start();
  speak(10);
  input.tick(0, segmenter);
  segmenter.framesStopped();
  input.tick(0, segmenter);
  input.tick(0, segmenter);
  expect(stt.opened[0]).toMatchObject({
    frames: 11,
    edges: [
      ["started", 2],
      ["ended", 10],
    ],
  });
});

test("a change of the call's language is passed to the stream", () => {
  const { input, stt } = start();
  input.setLanguage("de");
  expect([stt.opened.length, stt.turned]).toEqual([1, ["de"]]);
});

describe("transcripts", () => {
  test("are delivered with a known language, without a tag that is none, and cut at the maximum length", async () => {
    const { clock, events } = start({
      script: [
        { atMs: 100, event: { kind: "interim", text: "gu", language: "unknown" } },
        final(200, "guten Tag", "de-AT"),
        final(300, "a".repeat(TURN_TEXT_CHARS_MAX + 1)),
      ],
    });
    await clock.play(400);
    expect(events).toEqual([
      { kind: "stt-interim", text: "gu" },
      { kind: "stt-final", text: "guten Tag", language: "de-AT" },
      { kind: "stt-final", text: "a".repeat(TURN_TEXT_CHARS_MAX) },
    ]);
  });

  test("measure their latency from the last voiced frame to the final, once", async () => {
    const { clock, latenciesMs, speak } = start({ script: [final(300, "one"), final(400, "two")] });
    await clock.play(100);
    speak(1);
    await clock.play(100);
    speak(1, false);
    await clock.play(300);
    expect(latenciesMs).toEqual([200]);
  });

  test("end with the error of a stream that fails", async () => {
    const { clock, events, errors } = start({ script: [{ atMs: 100, event: { kind: "fail" } }] });
    await clock.play(200);
    expect(events).toEqual([]);
    expect(errors).toMatchObject([{ code: "provider_failed" }]);
  });
});

describe("speech without a transcript", () => {
  const SECONDS_3_FRAMES = 150;

  test("is logged once, after 3 s of speech, with the provider and the codec", () => {
    const websocket = { codec: "opus", inputRateHz: 48_000, outputRateHz: 48_000 } as const;
    const { lines, speak } = start({ spec: { websocket } });
    speak(SECONDS_3_FRAMES, false);
    speak(SECONDS_3_FRAMES - 1);
    expect(lines).toEqual([]);
    speak(2 * SECONDS_3_FRAMES);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { stt: "scripted", codec: "opus", msg: "STT returned no words although the caller speaks" },
    ]);
  });

  test("is not logged for single sounds, however long the call", () => {
    const { lines, speak } = start();
    for (let second = 0; second < 20 * 60; second += 1) {
      speak(1);
      speak(49, false);
    }
    expect(lines).toEqual([]);
  });

  test("is not logged for an STT without interim transcripts, nor after a first word", async () => {
    const silent = start({ capabilities: { interimTranscripts: false } });
    const heard = start({ script: [{ atMs: 100, event: { kind: "interim", text: "hello" } }] });
    await heard.clock.play(200);
    for (const { speak } of [silent, heard]) speak(2 * SECONDS_3_FRAMES);
    expect([...silent.lines, ...heard.lines]).toEqual([]);
  });
});

test("a closed input ends its stream, frees its resampler, and ignores audio and changes of language", async () => {
  const { input, clock, stt, events, resamplers, speak } = start({
    script: [final(100, "late")],
    capabilities: { ratesHz: [8_000] },
  });
  input.close();
  speak(1);
  input.setLanguage("de");
  await clock.play(200);
  expect(stt.opened).toMatchObject([{ samples: 0 }]);
  expect(stt.turned).toEqual([]);
  expect(events).toEqual([]);
  expect(resamplers).toMatchObject([{ isDestroyed: true }]);
});
