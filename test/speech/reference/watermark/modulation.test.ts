import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { A_LAW, type G711Law, MU_LAW } from "../../../../src/media/g711.ts";
import { loadResampler } from "../../../../src/media/resampler.ts";
import { WatermarkDecoder } from "../../../../src/speech/reference/watermark/decoder.ts";
import { WatermarkEncoder } from "../../../../src/speech/reference/watermark/encoder.ts";
import { WORD_BYTES_MAX } from "../../../../src/speech/reference/watermark/frame.ts";
import { WATERMARK_RATE_HZ } from "../../../../src/speech/reference/watermark/modulation.ts";

const SENTENCES = [
  "Hello, thank you for calling: the bakery is open from seven until half past five!",
  "I am a bit of an odd one, so it is on to me to do as I do.",
  "Gluten-free bread costs $12.50 (or 10,00 €) in 2026; don't ask — really.",
  "Wir haben von neun bis achtzehn Uhr geöffnet, außer an Feiertagen, grüß Gott.",
  "Où êtes-vous aujourd’hui ? Ça va très bien, merci, à bientôt.",
  "Здравствуйте, чем я могу вам помочь сегодня? Мы открыты с девяти до шести часов.",
  "Καλημέρα σας, πώς μπορώ να σας βοηθήσω σήμερα;",
  "नमस्ते, मैं आपकी कैसे मदद कर सकता हूँ आज",
  "مرحبا كيف يمكنني مساعدتك اليوم",
  "你好， 我能帮你什么吗？ 谢谢 再见",
  "こんにちは、 いらっしゃいませ。 何を お探しですか",
  "Xin chào, tôi có thể giúp gì cho bạn hôm nay",
  "🙂 ok 👩‍👩‍👧‍👦 family",
];
const WORDS = [...SENTENCES, ...SENTENCES, ...SENTENCES].flatMap((sentence) => sentence.split(" "));

/** Park and Miller's generator: uniform in 0..1, the same for the same seed. */
function prng(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Speech-like sound at full scale: harmonics of a varying pitch in syllables, with hiss between them. */
function babble(durationMs: number, rateHz: number): Int16Array {
  const random = prng(7);
  let phase = 0;
  return Int16Array.from({ length: Math.round((durationMs * rateHz) / 1_000) }, (_, n) => {
    const s = n / rateHz;
    phase += (2 * Math.PI * (120 + 25 * Math.sin(2 * s))) / rateHz;
    let tone = 0;
    for (let harmonic = 1; harmonic <= 30; harmonic += 1) tone += Math.cos(harmonic * phase) / harmonic;
    const syllable = Math.max(0, Math.sin(2 * Math.PI * 2.2 * s));
    const hiss = (random() - 0.5) * Math.max(0, -Math.sin(2 * Math.PI * 2.2 * s));
    return Math.max(-32_768, Math.min(32_767, 9_000 * syllable * tone + 16_000 * hiss));
  });
}

interface Encoded {
  samples: Int16Array;
  words: { text: string; startMs: number; endMs: number }[];
}

/** `words` at 17 characters a second in babble at `rateHz`, encoded in parts of 100 ms as a TTS would. */
function encoded(words: readonly string[], rateHz = 22_050): Encoded {
  const encoder = new WatermarkEncoder(rateHz);
  let atMs = 120;
  const placed = words.map((text) => {
    const startMs = atMs;
    atMs += Math.max(180, 60 * [...text].length);
    return { text, startMs, endMs: 0 };
  });
  const speech = babble(atMs, rateHz);
  const out: number[] = [];
  let next = 0;
  for (let at = 0; at < speech.length; at += rateHz / 10) {
    const endMs = ((at + rateHz / 10) * 1_000) / rateHz;
    for (let word = placed[next]; word !== undefined && word.startMs < endMs; word = placed[next]) {
      word.endMs = encoder.addWord(word.text, word.startMs);
      next += 1;
    }
    out.push(...encoder.push(speech.subarray(at, at + rateHz / 10)));
  }
  out.push(...encoder.finish());
  return { samples: Int16Array.from(out), words: placed };
}

interface Found {
  words: string[];
  atMs: number[];
  quietMs: number[];
}

/** What a decoder finds in `samples` and a second of silence after them, written in parts of `partSamples`. */
function found(samples: Int16Array, rateHz: 8_000 | 16_000 = 8_000, partSamples = rateHz / 50): Found {
  const all: Found = { words: [], atMs: [], quietMs: [] };
  const decoder = new WatermarkDecoder(rateHz, 250, {
    onWord: (word, atMs) => {
      all.words.push(word);
      all.atMs.push(atMs);
    },
    onQuiet: (atMs) => all.quietMs.push(atMs),
  });
  const audio = new Int16Array(samples.length + rateHz);
  audio.set(samples);
  for (let at = 0; at < audio.length; at += partSamples) decoder.write(audio.subarray(at, at + partSamples));
  return all;
}

function through(law: G711Law, samples: Int16Array): Int16Array {
  return samples.map((sample) => law.decodeTable[law.encodeTable[sample & 0xffff] ?? 0] ?? 0);
}

const throughMulaw = (samples: Int16Array): Int16Array => through(MU_LAW, samples);

function withNoise(samples: Int16Array, rms: number, seed: number): Int16Array {
  const random = prng(seed);
  return samples.map((sample) => {
    const gaussian = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    return Math.max(-32_768, Math.min(32_767, Math.round(sample + rms * gaussian)));
  });
}

const texts = (words: Encoded["words"]): string[] => words.map((word) => word.text);
const sampleAt = (ms: number): number => Math.round((ms * WATERMARK_RATE_HZ) / 1_000);

/** The length of the frame of the word of `short` that ends at `endMs`. */
const frameMs = (endMs: number): number => {
  const text = short.words.find((word) => word.endMs === endMs)?.text ?? "";
  return ((10 + 10 * (new TextEncoder().encode(text).length + 5) + 3) * 1_000) / 600;
};

/** Whether `part` is `whole` with some words left out. */
function isWithin(part: readonly string[], whole: readonly string[]): boolean {
  let at = -1;
  return part.every((word) => {
    at = whole.indexOf(word, at + 1);
    return at >= 0;
  });
}

const long = encoded(WORDS);
const short = encoded(WORDS.slice(0, 60));

describe("words in the watermark", () => {
  test(`all ${WORDS.length} survive mu-law and A-law at 8 kHz, in any script`, () => {
    expect(found(throughMulaw(long.samples)).words).toEqual(WORDS);
    expect(found(through(A_LAW, long.samples)).words).toEqual(WORDS);
  });

  test("survive resampling to 16 kHz and back, twice, with mu-law in between", async () => {
    const makeResampler = await loadResampler();
    const resampled = (samples: Int16Array, fromHz: number, toHz: number): Int16Array => {
      const resampler = makeResampler(fromHz, toHz);
      const out = [...resampler.process(samples), ...resampler.flush()];
      resampler.destroy();
      return Int16Array.from(out);
    };
    const thereAndBack = (samples: Int16Array) =>
      throughMulaw(resampled(resampled(samples, 8_000, 16_000), 16_000, 8_000));
    expect(found(resampled(long.samples, 8_000, 16_000), 16_000).words).toEqual(WORDS);
    expect(found(thereAndBack(thereAndBack(long.samples))).words).toEqual(WORDS);
  });

  test("are encoded in speech of any rate", () => {
    expect(found(encoded(WORDS.slice(0, 30), 8_000).samples).words).toEqual(WORDS.slice(0, 30));
    expect(found(encoded(WORDS.slice(0, 30), 16_000).samples).words).toEqual(WORDS.slice(0, 30));
  });

  test("survive a line that is 12 dB quieter, and white noise of -39 dBFS, 13 dB below the carrier", () => {
    expect(found(throughMulaw(long.samples.map((sample) => sample / 4))).words).toEqual(WORDS);
    expect(found(throughMulaw(withNoise(long.samples, 365 / Math.SQRT2, 3))).words).toEqual(WORDS);
  });

  test("are missed but never mistaken in loud noise", () => {
    for (const rms of [600, 900, 1_300, 2_000]) {
      const { words } = found(throughMulaw(withNoise(long.samples, rms, 5)));
      let from = 0;
      for (const word of words) {
        const at = WORDS.indexOf(word, from);
        expect(at, `${word} at noise ${rms}`).toBeGreaterThanOrEqual(0);
        from = at + 1;
      }
      expect(words.length).toBeLessThan(WORDS.length);
    }
  });

  test("end where the decoder reports them, within 3 ms", () => {
    for (const [index, atMs] of found(short.samples).atMs.entries()) {
      const endMs = short.words[index]?.endMs ?? Number.NaN;
      expect(atMs).toBeLessThanOrEqual(endMs);
      expect(atMs).toBeGreaterThan(endMs - 3);
    }
  });

  test("audio that ends at any time contains exactly the words that had ended", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: short.samples.length }), (cut) => {
        const cutMs = (cut * 1_000) / WATERMARK_RATE_HZ;
        const ended = texts(short.words.filter((word) => word.endMs <= cutMs));
        const { words } = found(short.samples.subarray(0, cut));
        const almost = short.words.find((word) => word.endMs > cutMs && word.endMs - 8 <= cutMs);
        expect(almost !== undefined && words.length > ended.length ? [...ended, almost.text] : ended).toEqual(words);
      }),
      { numRuns: 60, seed: 11 },
    );
  });

  test("a gap in a word loses only that word", () => {
    for (const [index, word] of short.words.entries()) {
      const holed = short.samples.slice();
      const middle = sampleAt(word.endMs) - 700;
      holed.fill(0, middle, middle + 160);
      expect(found(throughMulaw(holed)).words).toEqual(texts(short.words.toSpliced(index, 1)));
    }
  });

  test("missing audio loses only the words it was part of", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: short.samples.length - 8_000 }),
        fc.integer({ min: 160, max: 8_000 }),
        (from, count) => {
          const spliced = [...short.samples.subarray(0, from), ...short.samples.subarray(from + count)];
          // At a frame's edges some bits may be missing without harm: ten of mark before and three after, and a few more
          // if the audio in their place happens to be the same.
          const left = (edgeBits: readonly [number, number]) =>
            short.words.filter(({ endMs }) => {
              const [firstMs, lastMs] = [endMs - frameMs(endMs) + edgeBits[0] / 0.6, endMs - edgeBits[1] / 0.6];
              return sampleAt(lastMs) <= from || sampleAt(firstMs) >= from + count;
            });
          const { words } = found(Int16Array.from(spliced));
          expect(isWithin(texts(left([0, 0])), words)).toBe(true);
          expect(isWithin(words, texts(left([16, 12])))).toBe(true);
        },
      ),
      { numRuns: 30, seed: 12 },
    );
  });
});

describe("the encoder", () => {
  test("starts a word's frame neither before the word nor before the end of the previous frame", () => {
    const encoder = new WatermarkEncoder(8_000);
    const first = encoder.addWord("Hello", 100);
    const second = encoder.addWord("a", 110);
    const samples = [...encoder.push(new Int16Array(8_000)), ...encoder.finish()];
    const loud = samples.flatMap((sample, n) => (sample === 0 ? [] : [n]));
    expect(loud[0]).toBeGreaterThanOrEqual(sampleAt(100));
    expect(loud.at(-1)).toBeLessThan(sampleAt(second));
    expect(first).toBeGreaterThan(100 + 150);
    expect(second).toBeGreaterThan(first + 100);
    expect(Math.max(...samples)).toBeLessThanOrEqual(1_305);
  });

  test("is silent without speech or words, and exceeds the speech only by the last word's frame", () => {
    const encoder = new WatermarkEncoder(22_050);
    expect([...encoder.push(new Int16Array(2_205)), ...encoder.finish()]).toHaveLength(800);
    const endMs = encoder.addWord("word", 90);
    const samples = [...encoder.push(new Int16Array(2_205)), ...encoder.finish()];
    expect(samples).toHaveLength(sampleAt(endMs));
    expect(samples.slice(0, sampleAt(90)).every((sample) => sample === 0)).toBe(true);
  });

  test("preserves speech below 2.3 kHz and removes the band of the watermark", () => {
    const tone = (hz: number) => {
      const encoder = new WatermarkEncoder(22_050);
      const speech = Int16Array.from({ length: 22_050 }, (_, n) => 20_000 * Math.sin((2 * Math.PI * hz * n) / 22_050));
      return [...encoder.push(speech), ...encoder.finish()].slice(400, 7_600);
    };
    for (const hz of [300, 1_000, 2_200]) {
      for (const [n, sample] of tone(hz).entries()) {
        const expected = 15_000 * Math.sin((2 * Math.PI * hz * (n + 400)) / 8_000);
        expect(Math.abs(sample - expected)).toBeLessThan(60);
      }
    }
    for (const hz of [2_650, 3_300, 5_000, 9_000]) expect(Math.max(...tone(hz))).toBeLessThan(20);
  });

  test("does not clip speech that peaks at full scale", () => {
    const speech = babble(2_000, 22_050);
    expect(Math.max(...speech)).toBeGreaterThan(32_000);
    const encoder = new WatermarkEncoder(22_050);
    encoder.addWord("word", 0);
    const samples = [...encoder.push(speech), ...encoder.finish()];
    expect(Math.max(...samples)).toBeLessThan(32_767);
    expect(Math.min(...samples)).toBeGreaterThan(-32_768);
  });

  test("leaves out a word that is too long and encodes the next one", () => {
    const encoder = new WatermarkEncoder(8_000);
    expect(encoder.addWord("x".repeat(WORD_BYTES_MAX + 1), 50)).toBe(50);
    encoder.addWord("y".repeat(200), 60);
    expect(found(encoder.finish()).words).toEqual(["y".repeat(200)]);
  });

  test("gives the same result however the speech is split, for each utterance", () => {
    const speech = babble(1_000, 22_050);
    const encoder = new WatermarkEncoder(22_050);
    const encode = (partSamples: number): number[] => {
      encoder.addWord("word", 10);
      const out: number[] = [];
      for (let at = 0; at < speech.length; at += partSamples) {
        out.push(...encoder.push(speech.subarray(at, at + partSamples)));
      }
      return [...out, ...encoder.finish()];
    };
    const whole = encode(speech.length);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), (partSamples) => {
        expect(encode(partSamples)).toEqual(whole);
      }),
      { numRuns: 20, seed: 13 },
    );
  });
});

describe("the decoder", () => {
  test("finds the same words at the same times, however the audio is split", () => {
    const whole = found(short.samples, 8_000, short.samples.length);
    for (const partSamples of [1, 7, 160, 333, 8_000]) expect(found(short.samples, 8_000, partSamples)).toEqual(whole);
  });

  test("reports quiet once, 250 ms after the last data, and not during a long word", () => {
    const encoder = new WatermarkEncoder(8_000);
    encoder.addWord("short", 0);
    const endMs = encoder.addWord("long".repeat(30), 200);
    const { quietMs } = found(encoder.finish());
    expect(quietMs).toHaveLength(1);
    expect(quietMs[0]).toBeGreaterThan(endMs + 240);
    expect(quietMs[0]).toBeLessThan(endMs + 260);
  });

  test("finds no word in noise, tones, speech without a watermark or foreign data", () => {
    const random = prng(17);
    const noise = withNoise(new Int16Array(8_000 * 120), 3_000, 19);
    const data = new Int16Array(8_000 * 120);
    let phase = 0;
    let bit = 1;
    for (let n = 0; n < data.length; n += 1) {
      if (n % 40 < 3) bit = random() < 0.5 ? 0 : 1;
      phase += (2 * Math.PI * (bit === 1 ? 2_800 : 3_300)) / 8_000;
      data[n] = 1_300 * Math.sin(phase);
    }
    const mark = Int16Array.from({ length: 8_000 }, (_, n) => 1_300 * Math.sin((2 * Math.PI * 2_800 * n) / 8_000));
    for (const samples of [noise, data, mark, babble(20_000, 8_000), encoded([]).samples]) {
      expect(found(samples)).toEqual({ words: [], atMs: [], quietMs: [] });
    }
  });
});
