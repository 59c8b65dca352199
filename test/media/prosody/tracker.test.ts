import { describe, expect, test } from "vitest";
import { mulawDecode, mulawEncode } from "../../../src/media/g711.ts";
import { ProsodyTracker } from "../../../src/media/prosody/tracker.ts";
import type { BusRateHz } from "../../../src/media/voice-activity/detector.ts";
import { Random } from "../../support/random.ts";

const FRAMES_A_SECOND = 50;

interface Sound {
  rateHz?: BusRateHz;
  seconds: number;
  /** Of full scale. */
  amplitude?: number;
  noise?: number;
}

/** A hum whose level is a voice's. */
function sound({ rateHz = 8_000, seconds, amplitude = 0.2, noise = 0 }: Sound): Int16Array {
  const random = new Random(1);
  return Int16Array.from({ length: Math.round(seconds * rateHz) }, (_, at) =>
    Math.round(32_767 * (amplitude * Math.sin((2 * Math.PI * 440 * at) / rateHz) + noise * (random.next() - 0.5))),
  );
}

/** Returns whether the tracker reported a sound. */
function hear(tracker: ProsodyTracker, samples: Int16Array, isSpeech: boolean, rateHz: BusRateHz = 8_000): boolean {
  const length = rateHz / FRAMES_A_SECOND;
  let hasSound = false;
  for (let at = 0; at + length <= samples.length; at += length) {
    hasSound = tracker.frame(samples.subarray(at, at + length), isSpeech) || hasSound;
  }
  return hasSound;
}

const silence = (seconds: number, rateHz: BusRateHz = 8_000): Int16Array =>
  sound({ rateHz, seconds, amplitude: 0, noise: 0.0005 });

describe("how a caller went into a pause", () => {
  test.for([
    [8_000, 0],
    [8_000, 40],
    [8_000, 120],
    [8_000, 240],
    [16_000, 120],
  ] as const)("at %i Hz, quiet for %i ms before the detector noticed", ([rateHz, quietMs]) => {
    const tracker = new ProsodyTracker(rateHz);
    hear(tracker, sound({ rateHz, seconds: 0.8 }), true, rateHz);
    hear(tracker, silence(quietMs / 1_000, rateHz), true, rateHz);
    hear(tracker, silence(0.06, rateHz), false, rateHz);
    expect(tracker.atPause()).toEqual({ quietMs, soundMs: 0 });
  });

  test("a quiet caller is judged as a loud one, and through G.711", () => {
    for (const amplitude of [0.5, 0.05, 0.01]) {
      const tracker = new ProsodyTracker(8_000);
      for (const [samples, isSpeech] of [
        [sound({ seconds: 0.6, amplitude }), true],
        [sound({ seconds: 0.1, amplitude: 0.03 * amplitude }), true],
        [silence(0.06), false],
      ] as const) {
        const coded = new Uint8Array(samples.length);
        mulawEncode(samples, coded);
        mulawDecode(coded, samples);
        hear(tracker, samples, isSpeech);
      }
      expect(tracker.atPause()?.quietMs, `${amplitude}`).toBe(100);
    }
  });

  test("a voice that fades is quiet once it has fallen far enough", () => {
    const tracker = new ProsodyTracker(8_000);
    hear(tracker, sound({ seconds: 0.5 }), true);
    for (const amplitude of [0.1, 0.06, 0.03, 0.01, 0.003]) hear(tracker, sound({ seconds: 0.02, amplitude }), true);
    hear(tracker, silence(0.06), false);
    expect(tracker.atPause()?.quietMs).toBe(60);
  });

  test("silence, a click, and the beginning of a call cannot be judged", () => {
    const tracker = new ProsodyTracker(8_000);
    expect(tracker.atPause()).toBeUndefined();
    hear(tracker, silence(2), false);
    expect(tracker.atPause()).toBeUndefined();
    const begun = new ProsodyTracker(8_000);
    hear(begun, sound({ seconds: 0.04 }), true);
    hear(begun, silence(0.06), false);
    expect(begun.atPause()).toBeUndefined();
  });

  test("a line with noise 16 dB below the caller is as quiet as one without", () => {
    const tracker = new ProsodyTracker(8_000);
    const noise = 0.08;
    hear(tracker, sound({ seconds: 0.8, noise }), true);
    hear(tracker, sound({ seconds: 0.12, amplitude: 0, noise }), true);
    hear(tracker, sound({ seconds: 0.06, amplitude: 0, noise }), false);
    expect(tracker.atPause()).toEqual({ quietMs: 120, soundMs: 0 });
  });

  test("what the room adds after the voice is a part of the quiet", () => {
    const tracker = new ProsodyTracker(8_000);
    hear(tracker, sound({ seconds: 0.8 }), true);
    for (const amplitude of [0.03, 0.025, 0.022]) hear(tracker, sound({ seconds: 0.04, amplitude }), true);
    hear(tracker, silence(0.06), false);
    expect(tracker.atPause()).toEqual({ quietMs: 120, soundMs: 0 });
  });

  test("a line with loud noise is never quiet, and no sound comes back on it", () => {
    const tracker = new ProsodyTracker(8_000);
    hear(tracker, sound({ seconds: 0.8, noise: 0.2 }), true);
    hear(tracker, sound({ seconds: 0.06, amplitude: 0, noise: 0.2 }), false);
    expect(tracker.atPause()).toEqual({ quietMs: 0, soundMs: 0 });
    expect(hear(tracker, sound({ seconds: 0.4, amplitude: 0, noise: 0.2 }), false)).toBe(false);
  });

  test("a sound that comes back is reported once, and forgotten when speech goes on", () => {
    const tracker = new ProsodyTracker(8_000);
    hear(tracker, sound({ seconds: 0.6 }), true);
    hear(tracker, silence(0.06), false);
    expect(tracker.atPause()).toEqual({ quietMs: 0, soundMs: 0 });
    expect(hear(tracker, silence(0.08), false)).toBe(false);
    expect(hear(tracker, sound({ seconds: 0.04 }), false)).toBe(true);
    expect(tracker.atPause()).toEqual({ quietMs: 0, soundMs: 160 });
    expect(hear(tracker, sound({ seconds: 0.2 }), false)).toBe(false);
    hear(tracker, sound({ seconds: 0.2 }), true);
    hear(tracker, silence(0.06), false);
    expect(tracker.atPause()).toEqual({ quietMs: 0, soundMs: 0 });
  });
});
