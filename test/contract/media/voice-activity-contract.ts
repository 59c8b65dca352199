import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  BusRateHz,
  VoiceActivityDetection,
  VoiceActivityDetector,
} from "../../../src/media/voice-activity/detector.ts";
import { spokenEnglish } from "../../support/audio/spoken.ts";
import { heapBytesPerRun } from "../../support/heap.ts";
import { decide, framesIn, framesOf, type Sound, silence, white } from "../../support/voice-activity/sounds.ts";

const RATES_HZ: readonly BusRateHz[] = [8_000, 16_000];
/** Far more than eSpeak takes on a machine that has other things to do. */
const SPEAKING_MS_MAX = 120_000;
/** After this much silence every sound must be forgotten: 500 ms. */
const IDLE_FRAMES = 25;

/** Sounds that break arithmetic, none of them speech. */
const EXTREMES: readonly [string, Sound][] = [
  ["zeros", silence],
  ["negative zeros", () => -0],
  ["a full-scale square wave", (seconds) => (Math.sin(2 * Math.PI * 200 * seconds) >= 0 ? 32_767 : -32_768)],
  ["the fastest full-scale square wave", (_, i) => (i % 2 === 0 ? 32_767 : -32_768)],
  ["the highest constant", () => 32_767],
  ["the lowest constant", () => -32_768],
  ["clicks of one sample", (_, i) => (i % 997 === 0 ? 32_767 : 0)],
  ["full-scale white noise", white(32_767)],
];

/** What differs between detectors that keep the contract. */
export interface DetectorTraits {
  load(): Promise<VoiceActivityDetection>;
  /** The version that it must have; journals hold it. */
  version: RegExp;
  /** The least share of the frames of continuous speech that are voiced. */
  speechShareMin: number;
  /** The largest share of frames in which 8 and 16 kHz of the same speech may decide differently. */
  rateDifferenceMax: number;
  /** White noise as loud as speech: the least and the largest share of its frames that is voiced. */
  noiseShare: readonly [min: number, max: number];
}

const share = (decisions: readonly boolean[]): number =>
  decisions.filter((isVoiced) => isVoiced).length / decisions.length;

/** What every voice activity detector must do. */
export function voiceActivityContract(name: string, traits: DetectorTraits): void {
  describe(`the contract of voice activity detectors: ${name}`, () => {
    let detection: VoiceActivityDetection;
    let speech: Record<BusRateHz, Int16Array[]>;
    const opened: VoiceActivityDetector[] = [];
    const open = (rateHz: BusRateHz): VoiceActivityDetector => {
      const detector = detection.open(rateHz);
      opened.push(detector);
      return detector;
    };
    beforeAll(async () => {
      detection = await traits.load();
      const spoken = await spokenEnglish();
      speech = { 8000: framesIn(spoken[8_000], 8_000), 16000: framesIn(spoken[16_000], 16_000) };
    }, SPEAKING_MS_MAX);
    afterAll(() => {
      for (const detector of opened) detector.destroy();
    });

    test("names its version, and an onset that its window can hold", () => {
      expect(detection.version).toMatch(traits.version);
      const { onsetSpeechFrames, onsetWindowFrames, settleMs } = detection.onset;
      expect(onsetSpeechFrames).toBeGreaterThan(0);
      expect(onsetWindowFrames).toBeGreaterThanOrEqual(onsetSpeechFrames);
      expect(settleMs).toBeGreaterThanOrEqual(0);
    });

    describe.each(RATES_HZ)("at %d Hz", (rateHz) => {
      test("silence is never speech, from the first frame on", () => {
        expect(decide(open(rateHz), framesOf(silence, 2, rateHz))).not.toContain(true);
      });

      test("detects speech, and its end", () => {
        const detector = open(rateHz);
        decide(detector, framesOf(silence, 1, rateHz));
        const decisions = decide(detector, speech[rateHz]);
        expect(decisions.indexOf(true)).toBeLessThan(8);
        expect(share(decisions)).toBeGreaterThan(traits.speechShareMin);
        expect(decide(detector, framesOf(silence, 1, rateHz)).slice(IDLE_FRAMES)).not.toContain(true);
      });

      test.each(EXTREMES)("M10: becomes idle after %s, and still detects speech", (_, sound) => {
        const detector = open(rateHz);
        decide(detector, framesOf(sound, 3, rateHz));
        expect(decide(detector, framesOf(silence, 1, rateHz)).slice(IDLE_FRAMES)).not.toContain(true);
        expect(share(decide(detector, speech[rateHz]))).toBeGreaterThan(traits.speechShareMin);
      });

      test("deciding on a frame allocates nothing", () => {
        const detector = open(rateHz);
        const frames = speech[rateHz];
        let at = 0;
        const one = (): void => {
          detector.isSpeech(frames[at] as Int16Array);
          at = (at + 1) % frames.length;
        };
        expect(heapBytesPerRun(one, 200, 2_000)).toBeLessThan(1);
      });

      test("a frame of another length fails an assertion", () => {
        const other = new Int16Array(rateHz === 8_000 ? 320 : 160);
        expect(() => open(rateHz).isSpeech(other)).toThrow("one frame at the detector's own rate");
        expect(() => open(rateHz).isSpeech(new Int16Array(0))).toThrow("one frame at the detector's own rate");
      });
    });

    test("the same frames give the same decisions, whatever other streams get between them", () => {
      const expected = decide(open(8_000), speech[8_000]);
      const [detector, ...others] = [open(8_000), open(8_000), open(16_000)];
      const loud = framesOf((_, i) => (i % 40 < 20 ? 30_000 : -30_000), 1, 8_000);
      const wide = framesOf(white(20_000), 1, 16_000);
      const decisions = speech[8_000].map((frame, i) => {
        others[0]?.isSpeech(loud[i % loud.length] as Int16Array);
        others[1]?.isSpeech(wide[i % wide.length] as Int16Array);
        return detector?.isSpeech(frame);
      });
      expect(decisions).toEqual(expected);
    });

    test("decides on any 16-bit samples, and the same each time", () => {
      const sample = fc.oneof(fc.integer({ min: -32_768, max: 32_767 }), fc.constantFrom(-32_768, 32_767, 0));
      const frame = fc.array(sample, { minLength: 160, maxLength: 160 });
      fc.assert(
        fc.property(fc.array(frame, { minLength: 1, maxLength: 20 }), (samples) => {
          const frames = samples.map((each) => Int16Array.from(each));
          const [one, again] = [detection.open(8_000), detection.open(8_000)];
          try {
            const decisions = decide(one, frames);
            expect(decisions.every((isVoiced) => typeof isVoiced === "boolean")).toBe(true);
            expect(decide(again, frames)).toEqual(decisions);
          } finally {
            one.destroy();
            again.destroy();
          }
        }),
        { numRuns: 30 },
      );
    });

    test("8 and 16 kHz of the same speech decide alike", () => {
      const [narrow, wide] = RATES_HZ.map((rateHz) => decide(open(rateHz), speech[rateHz]));
      const frames = Math.min(narrow?.length ?? 0, wide?.length ?? 0);
      const different = Array.from({ length: frames }, (_, i) => narrow?.[i] !== wide?.[i]);
      expect(share(different)).toBeLessThanOrEqual(traits.rateDifferenceMax);
    });

    test("white noise is speech as often as stated", () => {
      const [min, max] = traits.noiseShare;
      const noisy = share(decide(open(8_000), framesOf(white(3_000), 10, 8_000)));
      expect(noisy).toBeGreaterThanOrEqual(min);
      expect(noisy).toBeLessThanOrEqual(max);
    });

    test.each([50, 440])("a lasting tone of %d Hz is not speech", (hz) => {
      const tone = framesOf((seconds) => 3_000 * Math.sin(2 * Math.PI * hz * seconds), 10, 8_000);
      expect(share(decide(open(8_000), tone))).toBeLessThan(0.05);
    });

    test("use after destroy fails an assertion", () => {
      const detector = detection.open(8_000);
      detector.destroy();
      expect(() => detector.isSpeech(new Int16Array(160))).toThrow("destroyed");
      expect(() => detector.destroy()).toThrow("destroyed");
    });

    test("a detector releases its memory, and the next one has heard nothing", () => {
      const frames = speech[8_000].slice(0, 50);
      const expected = decide(open(8_000), frames);
      for (let i = 0; i < 5_000; i += 1) {
        const detector = detection.open(8_000);
        detector.isSpeech(frames[i % frames.length] as Int16Array);
        detector.destroy();
      }
      expect(decide(open(8_000), frames)).toEqual(expected);
    });

    test("a fallback changes the decisions from the next frame on, and only where there is one", () => {
      const noise = framesOf(white(3_000), 2, 8_000);
      const detector = open(8_000);
      const before = decide(detector, noise);
      detection.setFallback(true);
      const during = decide(detector, noise);
      detection.setFallback(false);
      // The cheaper detector takes noise for speech, as the expensive one does not.
      if (detection.fallbackVersion !== undefined) expect([share(before), share(during)]).toEqual([0, 1]);
      else expect(decide(open(8_000), noise)).toEqual(before);
      if (detection.fallbackVersion === undefined) expect(share(during)).toBeGreaterThan(0.9);
    });
  });
}
