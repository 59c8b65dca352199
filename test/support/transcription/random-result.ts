import { DEFAULT_TRANSCRIPTION_OPTIONS } from "../../../src/core/transcriptions/options.ts";
import type { PartWord } from "../../../src/core/transcriptions/part.ts";
import type { TranscriptionResult } from "../../../src/core/transcriptions/result.ts";
import { joinParts } from "../../../src/transcription/join/join-parts.ts";
import { Random } from "../random.ts";

const ENGLISH =
  "the a an cat, mat. on extraordinarily why? Yes. no but and R&D <b> x it's well- understandable —".split(" ");
const CHINESE = ["你好，", "世界。", "我们", "的", "是", "电话", "TypeScript", "！"];
const LONG = [
  "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen",
  "https://example.com/a/very/long/address/of/a/page",
];
const LONG_CHINESE = ["这是一个没有任何空格和标点符号的非常长的词语它不能放在一行里面"];

/** A result of anything that a provider may send: one to three channels that may speak at once, slow or too fast to be read. */
export function randomResult(seed: number): TranscriptionResult {
  const random = new Random(seed);
  const isChinese = random.chance(0.3);
  const vocabulary = isChinese ? [...CHINESE, ...LONG_CHINESE] : random.chance(0.5) ? ENGLISH : [...ENGLISH, ...LONG];
  const channels = random.pick([1, 1, 2, 3]);
  const hasSpeakers = random.chance(0.4);
  const durationMs = 40_000;
  const parts = Array.from({ length: channels }, (_, channel) => {
    const words = randomWords(
      random,
      vocabulary,
      hasSpeakers,
      random.between(2_000, random.pick([10_000, 20_000, durationMs])),
    );
    const outcome = { words, hasEstimatedTimes: false, provider: "reference", usage: [] };
    return { channel, startMs: 0, endMs: durationMs, requests: 1, outcome };
  });
  const options = {
    ...DEFAULT_TRANSCRIPTION_OPTIONS,
    language: isChinese ? "zh" : "en",
    speakers: hasSpeakers,
    timestamps: random.pick(["word", "word", "segment"] as const),
  };
  return joinParts(parts, { options, durationMs, channels });
}

function randomWords(random: Random, vocabulary: readonly string[], hasSpeakers: boolean, untilMs: number): PartWord[] {
  const lengthMsMax = random.pick([60, 200, 500, 2_000, 9_000]);
  const pauseChance = random.pick([0, 0.1, 0.5]);
  const words: PartWord[] = [];
  let speaker = 0;
  for (let startMs = random.between(0, 2_000); startMs < untilMs; ) {
    const endMs = startMs + random.between(0, lengthMsMax);
    if (random.chance(0.1)) speaker = random.whole(0, 2);
    words.push({ text: random.pick(vocabulary), startMs, endMs, ...(hasSpeakers ? { speaker } : {}) });
    startMs = endMs + (random.chance(pauseChance) ? random.between(0, 3_000) : 0) + 1;
  }
  return words;
}
