import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { scanWav } from "../../../../src/media/wav.ts";
import { loadSpeechModel } from "../../../../src/speech/local/engine/load.ts";
import type { Hypothesis, SpeechModel } from "../../../../src/speech/local/speech-model.ts";
import { Random } from "../../../support/random.ts";
import { PROJECT } from "../../../support/repository/files.ts";

// The installed model itself, on speech of LibriVox.

const RATE_HZ = 16_000;
const POWER =
  "And Mr. John Dashwood had then leisure to consider how much there might be prudently in his power to do for them.";
const HIMSELF = "He might even have been made amiable himself.";

let model: SpeechModel;
beforeAll(async () => {
  model = await loadSpeechModel(undefined);
}, 120_000);

const heard = async (samples: Float32Array, shouldStop: () => boolean = () => false): Promise<Hypothesis> =>
  await model.transcribe(samples, { language: "en", shouldStop });

function clip(number: string): Float32Array {
  const bytes = readFileSync(join(PROJECT, `fixtures/librivox/sense_and_sensibility_01_austen_64kb-${number}.wav`));
  const found = scanWav(bytes);
  if (found.kind !== "samples") throw new Error("a WAV file is needed");
  return Float32Array.from({ length: found.byteLength / 2 }, (_, at) => bytes.readInt16LE(found.at + 2 * at) / 32_768);
}

const silence = (seconds: number): Float32Array => new Float32Array(seconds * RATE_HZ);

const inARow = (...parts: readonly Float32Array[]): Float32Array =>
  Float32Array.from(parts.flatMap((part) => [...part]));

describe("Moonshine Tiny", { timeout: 120_000 }, () => {
  test("understands human speech", async () => {
    expect(model).toMatchObject({ name: "moonshine-tiny-en", languages: ["en"] });
    expect(await heard(clip("0930"))).toMatchObject({ text: HIMSELF, isStopped: false });
    expect((await heard(clip("0930"))).averageLogProbability).toBeGreaterThan(-0.3);
  });

  test("understands it between seconds of silence", async () => {
    expect((await heard(inARow(silence(2), clip("0930"), silence(3)))).text).toBe(HIMSELF);
  });

  test("the same audio gives the same text, whatever was heard before", async () => {
    const alone = await heard(clip("0870"));
    await heard(clip("0930"));
    expect(await heard(clip("0870"))).toEqual(alone);
  });

  test("a pass that is to stop ends between two tokens, with what there is", async () => {
    let tokens = 0;
    const { text, isStopped } = await heard(clip("0870"), () => ++tokens > 8);
    expect(isStopped).toBe(true);
    expect(text).not.toBe("");
    expect(POWER.startsWith(text)).toBe(true);
  });

  const random = new Random(3);
  test.each([
    ["nothing at all", silence(0)],
    ["a single sample", new Float32Array(1)],
    ["silence", silence(3)],
    ["noise", silence(3).map(() => random.between(-0.1, 0.1))],
    ["a tone", silence(3).map((_, at) => 0.2 * Math.sin((2 * Math.PI * 440 * at) / RATE_HZ))],
    ["music of chords", chords(4)],
    ["laughter, made of bursts of a voice", laughter(3, 150)],
    ["higher laughter", laughter(3, 250)],
    ["samples of full scale", silence(2).map((_, at) => (at % 40 < 20 ? 1 : -1))],
  ])("%s is an empty text", async (_name, samples) => {
    expect(await heard(samples)).toEqual({ text: "", averageLogProbability: 0, isStopped: false });
  });
});

/** A chord every half second, each of three notes with overtones that die away. */
function chords(seconds: number): Float32Array {
  const notesHz = [
    [262, 330, 392],
    [349, 440, 523],
    [392, 494, 587],
  ];
  return silence(seconds).map((_, at) => {
    const timeS = at / RATE_HZ;
    const chord = notesHz[Math.floor(2 * timeS) % notesHz.length] ?? [];
    const tones = chord.flatMap((hz) => [1, 2, 3].map((n) => Math.sin(2 * Math.PI * n * hz * timeS) / n));
    return 0.05 * Math.exp(-4 * (timeS % 0.5)) * tones.reduce((sum, tone) => sum + tone, 0);
  });
}

/** Five bursts a second of a vowel and breath, whose pitch falls. */
function laughter(seconds: number, pitchHz: number): Float32Array {
  const breath = new Random(4);
  return silence(seconds).map((_, at) => {
    const timeS = (at / RATE_HZ) % 0.2;
    if (timeS > 0.1) return 0;
    const pitch = pitchHz * (1 - 2 * timeS);
    const voice = Array.from({ length: 11 }, (_, n) => {
      const hz = (n + 1) * pitch;
      return ((hz > 500 && hz < 1_200 ? 2 : 0.5) / (n + 1)) * Math.sin(2 * Math.PI * hz * timeS);
    }).reduce((sum, tone) => sum + tone, 0);
    return 0.1 * Math.min(1, timeS / 0.01) * Math.exp(-30 * timeS) * (voice + breath.between(-1, 1));
  });
}
