import { describe, expect, test } from "vitest";
import { unavailable } from "../../../src/core/errors.ts";
import type { VoiceActivityDetector } from "../../../src/media/voice-activity/detector.ts";
import type { FvadFactory } from "../../../src/media/voice-activity/fvad.ts";
import type { Silero } from "../../../src/media/voice-activity/silero/silero.ts";
import { twoStageDetection } from "../../../src/media/voice-activity/two-stage.ts";
import { voiceActivityContract } from "../../contract/media/voice-activity-contract.ts";
import { loadTwoStageDetection } from "../../support/voice-activity/two-stage.ts";

voiceActivityContract("two stages", {
  load: () => loadTwoStageDetection(100),
  version: /^silero-v5-8khz-[\da-f]{8}\+fvad2$/,
  speechShareMin: 0.7,
  rateDifferenceMax: 0.05,
  noiseShare: [0, 0.02],
});

const FRAME = 160;
const CHUNK = 256;
const HANGOVER_FRAMES = 15;

/** A gate that opens as scripted, and a network that gives the scripted probabilities and remembers what it was given. */
class Scripted {
  readonly chunks: number[][] = [];
  readonly destroyed: string[] = [];
  #gate: (frame: number) => boolean;
  #probability: (chunk: number) => number;

  constructor(gate: (frame: number) => boolean, probability: (chunk: number) => number) {
    this.#gate = gate;
    this.#probability = probability;
  }

  readonly openFvad: FvadFactory = (rateHz, mode) => {
    expect([rateHz, mode]).toEqual([8_000, 2]);
    let frame = -1;
    return {
      isSpeech: (samples) => {
        expect(samples).toHaveLength(FRAME);
        frame += 1;
        return this.#gate(frame);
      },
      destroy: () => void this.destroyed.push("gate"),
    };
  };

  readonly silero: Silero = {
    open: () => ({
      probability: (chunk) => {
        this.chunks.push([...chunk]);
        return this.#probability(this.chunks.length - 1);
      },
      destroy: () => void this.destroyed.push("network"),
    }),
  };

  detection = twoStageDetection(this.openFvad, this.silero);
}

/** Frame `number` of a stream whose samples count upwards. */
const counting = (number: number): Int16Array => Int16Array.from({ length: FRAME }, (_, i) => number * FRAME + i);

/** Gives the detector frames `from` to `to`, and returns its decisions and how often each ran the network. */
function run(
  scripted: Scripted,
  detector: VoiceActivityDetector,
  from: number,
  to: number,
): { decisions: boolean[]; runs: number[] } {
  const decisions: boolean[] = [];
  const runs: number[] = [];
  for (let frame = from; frame < to; frame += 1) {
    const before = scripted.chunks.length;
    decisions.push(detector.isSpeech(counting(frame)));
    runs.push(scripted.chunks.length - before);
  }
  return { decisions, runs };
}

const startOf = (chunk: readonly number[] | undefined): number | undefined => chunk?.[0];

describe("the gate", () => {
  test("while it is closed, the network does not run and nothing is speech", () => {
    const scripted = new Scripted(
      () => false,
      () => 1,
    );
    const { decisions, runs } = run(scripted, scripted.detection.open(8_000), 0, 100);
    expect(new Set(decisions)).toEqual(new Set([false]));
    expect(new Set(runs)).toEqual(new Set([0]));
    expect(scripted.detection.counts).toMatchObject({ gateFrames: 100, networkFrames: 0, fallbackFrames: 0 });
  });

  test("when it opens, the network gets the last 96 ms, and then every sample once and in order", () => {
    const scripted = new Scripted(
      (frame) => frame >= 20,
      () => 1,
    );
    const { runs } = run(scripted, scripted.detection.open(8_000), 0, 60);
    expect(runs.slice(0, 21)).toEqual([...Array<number>(20).fill(0), 3]);
    expect(startOf(scripted.chunks[0])).toBe(21 * FRAME - 3 * CHUNK);
    const first = startOf(scripted.chunks[0]) ?? 0;
    const given = scripted.chunks.flat();
    expect(given).toEqual(Array.from({ length: given.length }, (_, i) => first + i));
    // Never more than one run a frame afterwards, and less than a chunk is left over.
    expect(Math.max(...runs.slice(21))).toBe(1);
    expect(60 * FRAME - (first + given.length)).toBeLessThan(CHUNK);
  });

  test("at the start of a stream the network gets only what there was", () => {
    const scripted = new Scripted(
      () => true,
      () => 1,
    );
    const { decisions, runs } = run(scripted, scripted.detection.open(8_000), 0, 4);
    expect([runs, decisions]).toEqual([
      [0, 1, 0, 1],
      [false, true, true, true],
    ]);
    expect(startOf(scripted.chunks[0])).toBe(0);
  });

  test("it stays open for 300 ms after the last frame that it took for speech", () => {
    const scripted = new Scripted(
      (frame) => frame === 10,
      () => 1,
    );
    const { decisions } = run(scripted, scripted.detection.open(8_000), 0, 60);
    expect(decisions.indexOf(true)).toBe(10);
    expect(decisions.lastIndexOf(true)).toBe(10 + HANGOVER_FRAMES);
    expect(scripted.detection.counts).toMatchObject({
      gateFrames: 59 - HANGOVER_FRAMES,
      networkFrames: 1 + HANGOVER_FRAMES,
    });
  });

  test("when it closes for less than 96 ms, the network misses nothing and hears nothing twice", () => {
    const opens = [10, 10 + HANGOVER_FRAMES + 4];
    const scripted = new Scripted(
      (frame) => opens.includes(frame),
      () => 1,
    );
    run(scripted, scripted.detection.open(8_000), 0, 60);
    const given = scripted.chunks.flat();
    expect(given).toEqual(Array.from({ length: given.length }, (_, i) => (given[0] as number) + i));
  });

  test("no frame runs the network more than three times, however the gate moves", () => {
    for (let period = 1; period < 60; period += 1) {
      const scripted = new Scripted(
        (frame) => frame % period === 0,
        () => 0.3,
      );
      const { runs } = run(scripted, scripted.detection.open(8_000), 0, 400);
      expect(Math.max(...runs), `a gate that opens every ${period} frames`).toBeLessThanOrEqual(3);
    }
  });
});

describe("the network's probabilities", () => {
  test("speech starts at 0.4 and ends below 0.25", () => {
    const probabilities = [0.39, 0.4, 0.3, 0.25, 0.249, 0.39, 0.9];
    const scripted = new Scripted(
      () => true,
      (chunk) => probabilities[chunk] ?? 0,
    );
    const detector = scripted.detection.open(8_000);
    const seen: boolean[] = [];
    for (let frame = 0; seen.length < probabilities.length; frame += 1) {
      const before = scripted.chunks.length;
      const isVoiced = detector.isSpeech(counting(frame));
      if (scripted.chunks.length > before) seen.push(isVoiced);
    }
    expect(seen).toEqual([false, true, true, true, false, false, true]);
  });

  test("a frame that completes no chunk is decided as the one before", () => {
    const scripted = new Scripted(
      () => true,
      () => 1,
    );
    const { decisions } = run(scripted, scripted.detection.open(8_000), 0, 40);
    expect(decisions.slice(1)).not.toContain(false);
  });

  test("what was speech when the gate closed is not when it opens again", () => {
    const opens = [10, 60];
    const scripted = new Scripted(
      (frame) => opens.includes(frame),
      (chunk) => (chunk < 5 ? 0.9 : 0.3),
    );
    const { decisions } = run(scripted, scripted.detection.open(8_000), 0, 100);
    expect(decisions.slice(10, 60)).toContain(true);
    expect(decisions.slice(60)).not.toContain(true);
  });
});

describe("the fallback", () => {
  test("is the gate's own decision, without its hang-over and without the network", () => {
    const scripted = new Scripted(
      (frame) => frame % 2 === 0,
      () => 1,
    );
    const detector = scripted.detection.open(8_000);
    scripted.detection.setFallback(true);
    const { decisions, runs } = run(scripted, detector, 0, 10);
    expect(decisions).toEqual([true, false, true, false, true, false, true, false, true, false]);
    expect(new Set(runs)).toEqual(new Set([0]));
    expect(scripted.detection.counts).toMatchObject({ gateFrames: 0, networkFrames: 0, fallbackFrames: 10 });
    expect(scripted.detection.fallbackVersion).toBe("fvad2");
  });

  test("ends without a pre-roll: all calls of a worker leave it at once", () => {
    const scripted = new Scripted(
      () => true,
      () => 1,
    );
    const detector = scripted.detection.open(8_000);
    scripted.detection.setFallback(true);
    run(scripted, detector, 0, 20);
    scripted.detection.setFallback(false);
    const { runs } = run(scripted, detector, 20, 30);
    expect(Math.max(...runs)).toBe(1);
    expect(startOf(scripted.chunks[0])).toBe(20 * FRAME);
  });
});

describe("the memory of a stream", () => {
  test("is freed in both stages", () => {
    const scripted = new Scripted(
      () => true,
      () => 1,
    );
    scripted.detection.open(16_000).destroy();
    expect(scripted.destroyed).toEqual(["gate", "network"]);
  });

  test("where the network has no room, opening fails as `unavailable`, and the gate is freed", () => {
    const scripted = new Scripted(
      () => true,
      () => 1,
    );
    const full: Silero = {
      open: () => {
        throw unavailable("all streams are in use");
      },
    };
    const detection = twoStageDetection(scripted.openFvad, full);
    expect(() => detection.open(8_000)).toThrow(expect.objectContaining({ code: "unavailable" }));
    expect(scripted.destroyed).toEqual(["gate"]);
  });

  test("is given back: as many detectors as there is room for can be open, again and again", async () => {
    const detection = await loadTwoStageDetection(2);
    for (let round = 0; round < 3; round += 1) {
      const detectors = [detection.open(8_000), detection.open(16_000)];
      expect(() => detection.open(8_000)).toThrow(expect.objectContaining({ code: "unavailable" }));
      for (const detector of detectors) detector.destroy();
    }
  });
});
