import loadFvad from "@echogarden/fvad-wasm";
import { beforeAll, describe, expect, test } from "vitest";
import type {
  BusRateHz,
  VoiceActivityDetection,
  VoiceActivityDetector,
} from "../../../src/media/voice-activity/detector.ts";
import { fvadDetection, fvadFactory, loadFvadDetection } from "../../../src/media/voice-activity/fvad.ts";
import { vowelAt } from "../../support/audio/vowel.ts";
import { heapBytesPerRun } from "../../support/heap.ts";

const FRAMES_PER_SECOND = 50;

/** A sample of a sound at a time in seconds; `i` counts from the sound's beginning. */
type Sound = (seconds: number, i: number) => number;

const silence: Sound = () => 0;

function framesOf(sound: Sound, seconds: number, rateHz: BusRateHz): Int16Array[] {
  const length = rateHz / FRAMES_PER_SECOND;
  return Array.from({ length: seconds * FRAMES_PER_SECOND }, (_, frame) =>
    Int16Array.from({ length }, (_, i) => {
      const at = frame * length + i;
      return Math.max(-32_768, Math.min(32_767, Math.round(sound(at / rateHz, at))));
    }),
  );
}

const decide = (vad: VoiceActivityDetector, frames: readonly Int16Array[]): boolean[] =>
  frames.map((frame) => vad.isSpeech(frame));

/** After this much silence every sound must be forgotten. */
const IDLE_FRAMES = 10;

describe("voice activity detection", () => {
  let voiceActivity: VoiceActivityDetection;
  beforeAll(async () => {
    voiceActivity = await loadFvadDetection();
  });

  for (const rateHz of [8_000, 16_000] as const) {
    test(`detects speech within three frames, and its end within ten, at ${rateHz} Hz`, () => {
      const vad = voiceActivity.open(rateHz);
      decide(vad, framesOf(silence, 1, rateHz));
      const decisions = decide(vad, framesOf(vowelAt, 1, rateHz));
      expect(decisions.slice(3)).not.toContain(false);
      expect(decide(vad, framesOf(silence, 1, rateHz)).slice(IDLE_FRAMES)).not.toContain(true);
      vad.destroy();
    });

    const sounds: readonly [string, Sound][] = [
      ["zeros", silence],
      ["negative zeros", () => -0],
      ["a full-scale square wave", (seconds) => (Math.sin(2 * Math.PI * 200 * seconds) >= 0 ? 32_767 : -32_768)],
      ["the fastest full-scale square wave", (_, i) => (i % 2 === 0 ? 32_767 : -32_768)],
      ["the highest constant", () => 32_767],
      ["the lowest constant", () => -32_768],
      ["clicks of one sample", (_, i) => (i % 997 === 0 ? 32_767 : 0)],
    ];
    test.each(sounds)(`M10: becomes idle after %s, and still detects speech, at ${rateHz} Hz`, (_, sound) => {
      const vad = voiceActivity.open(rateHz);
      decide(vad, framesOf(sound, 3, rateHz));
      expect(decide(vad, framesOf(silence, 1, rateHz)).slice(IDLE_FRAMES)).not.toContain(true);
      expect(decide(vad, framesOf(vowelAt, 1, rateHz)).slice(3)).not.toContain(false);
      vad.destroy();
    });
  }

  test("silence is never speech, from the first frame on", () => {
    const vad = voiceActivity.open(8_000);
    expect(decide(vad, framesOf(silence, 2, 8_000))).not.toContain(true);
    vad.destroy();
  });

  test("decides as the library's mode 3, and unlike every other mode", async () => {
    const fvad = await loadFvad();
    const pointer = fvad._malloc(320);
    let state = 1;
    const noise = (): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32 - 0.5;
    };
    // Faint and loud noise by turns: the decision between speech and noise is close here.
    const frames = framesOf((seconds) => noise() * (Math.floor(seconds * 10) % 2 === 0 ? 200 : 8_000), 3, 8_000);
    const decisionsOf = (mode: number): boolean[] => {
      const vad = fvad._fvad_new();
      fvad._fvad_set_mode(vad, mode);
      fvad._fvad_set_sample_rate(vad, 8_000);
      return frames.map((frame) => {
        fvad.HEAP16.set(frame, pointer / 2);
        return fvad._fvad_process(vad, pointer, frame.length) === 1;
      });
    };
    const vad = voiceActivity.open(8_000);
    const decisions = decide(vad, frames);
    expect([0, 1, 2, 3].map((mode) => String(decisionsOf(mode)) === String(decisions))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    vad.destroy();
  });

  test("detectors of different streams do not affect each other", () => {
    const alone = voiceActivity.open(8_000);
    const beside = voiceActivity.open(8_000);
    const other = voiceActivity.open(16_000);
    const loud = framesOf((_, i) => (i % 40 < 20 ? 30_000 : -30_000), 2, 16_000);
    const frames = [...framesOf(silence, 1, 8_000), ...framesOf(vowelAt, 1, 8_000)];
    const expected = decide(alone, frames);
    const decisions = frames.map((frame, i) => {
      other.isSpeech(loud[i] as Int16Array);
      return beside.isSpeech(frame);
    });
    expect(decisions).toEqual(expected);
    for (const vad of [alone, beside, other]) vad.destroy();
  });

  test("a detector releases its memory", async () => {
    const fvad = await loadFvad();
    const { open } = fvadDetection(fvadFactory(fvad));
    const frame = new Int16Array(160);
    const openAndClose = (): void => {
      const vad = open(8_000);
      vad.isSpeech(frame);
      vad.destroy();
    };
    openAndClose();
    const bytes = fvad.HEAP16.byteLength;
    for (let i = 0; i < 50_000; i += 1) openAndClose();
    expect(fvad.HEAP16.byteLength).toBe(bytes);
  });

  test("continues when its memory grows and moves", async () => {
    const fvad = await loadFvad();
    const vad = fvadFactory(fvad)(8_000, 3);
    const before = fvad.HEAP16;
    expect(fvad._malloc(before.byteLength)).toBeGreaterThan(0);
    expect(before.byteLength).toBe(0);
    expect(decide(vad, framesOf(vowelAt, 1, 8_000)).slice(10)).not.toContain(false);
  });

  test("reports that there is no memory for another detector", async () => {
    const openFvad = fvadFactory({ ...(await loadFvad()), _fvad_new: () => 0 });
    expect(() => openFvad(8_000, 3)).toThrow(expect.objectContaining({ code: "unavailable" }));
  });

  test("a frame of another length, and use after destroy, fail an assertion", () => {
    const vad = voiceActivity.open(16_000);
    expect(() => vad.isSpeech(new Int16Array(160))).toThrow("one frame at the detector's own rate");
    vad.destroy();
    expect(() => vad.isSpeech(new Int16Array(320))).toThrow("destroyed");
    expect(() => vad.destroy()).toThrow("destroyed");
  });

  test("deciding on a frame allocates nothing", () => {
    const vad = voiceActivity.open(8_000);
    const frame = framesOf(vowelAt, 1, 8_000)[20] as Int16Array;
    expect(heapBytesPerRun(() => vad.isSpeech(frame), 1_000)).toBeLessThan(1);
    vad.destroy();
  });
});
