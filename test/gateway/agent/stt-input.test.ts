import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../../src/call/events.ts";
import { callMsAt } from "../../../src/core/clocks.ts";
import { TURN_TEXT_CHARS_MAX } from "../../../src/core/limits/calls.ts";
import { SttInput, type SttInputOptions } from "../../../src/gateway/agent/stt-input.ts";
import type { Resampler } from "../../../src/media/resampler.ts";
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
}

/** A started input, what it delivered and measured, and the resamplers it made. */
function start({ script = [], capabilities, spec }: RunOptions = {}) {
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
  const speak = (frames: number, isSpeech = true): void => {
    for (let frame = 0; frame < frames; frame += 1) input.writeFrame(FRAME, isSpeech, nowMs());
  };
  return { input, clock, stt, lines, events, latenciesMs, errors, resamplers, speak };
}

describe("the rate of the stream", () => {
  test("is that of the caller's frames when the STT accepts it", () => {
    const { stt, resamplers, speak } = start({ capabilities: { ratesHz: [8_000, BUS_RATE_HZ] } });
    speak(2);
    expect(stt.opened).toMatchObject([{ rateHz: BUS_RATE_HZ, samples: 640, voicedFrames: 2 }]);
    expect(resamplers).toEqual([]);
  });

  test("is otherwise the first that the STT accepts, and frames and silence are resampled to it", () => {
    const { input, stt, resamplers, speak } = start({ capabilities: { ratesHz: [8_000, 24_000] } });
    speak(1);
    input.writeSilence(3);
    expect(stt.opened).toMatchObject([{ rateHz: 8_000, samples: 4 * 160, voicedFrames: 1 }]);
    expect(resamplers).toEqual([{ fromHz: BUS_RATE_HZ, toHz: 8_000, isDestroyed: false }]);
  });

  test("must exist: an STT without one is refused by its name", () => {
    expect(() => start({ capabilities: { ratesHz: [] } })).toThrow("the STT scripted supports no sample rate");
  });
});

describe("a change of the call's language", () => {
  test("keeps the stream of an STT that transcribes any language", () => {
    const { input, stt } = start({ capabilities: { anyLanguage: true } });
    input.setLanguage("de");
    expect(stt.opened).toHaveLength(1);
    expect(stt.turned).toEqual(["de"]);
  });

  test("reopens the stream of an STT with a fixed language, and drops what the old one still returns", async () => {
    const { input, clock, stt, events } = start({
      script: [final(500, "words")],
      capabilities: { anyLanguage: false },
    });
    await clock.play(400);
    input.setLanguage("de");
    await clock.play(300);
    expect(stt.opened.map(({ language }) => language)).toEqual(["en", "de"]);
    expect(events).toEqual([]);
    await clock.play(300);
    expect(events).toEqual([{ kind: "stt-final", text: "words" }]);
  });

  test("reopens the stream of a pinned call, although the STT could detect the language", () => {
    const capabilities = { anyLanguage: false, detectsLanguage: () => true };
    const unpinned = start({ capabilities });
    const pinned = start({ capabilities, spec: { languagePinned: true } });
    for (const { input } of [unpinned, pinned]) input.setLanguage("de");
    expect(unpinned.stt.opened).toHaveLength(1);
    expect(pinned.stt.opened).toMatchObject([{ languagePinned: true }, { languagePinned: true, language: "de" }]);
  });
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
    capabilities: { ratesHz: [8_000], anyLanguage: false },
  });
  input.close();
  speak(1);
  input.setLanguage("de");
  await clock.play(200);
  expect(stt.opened).toMatchObject([{ samples: 0 }]);
  expect(events).toEqual([]);
  expect(resamplers).toMatchObject([{ isDestroyed: true }]);
});
