import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import type { ResamplerFactory } from "../../src/media/resampler.ts";
import { audioPackageOf, READING_PACKAGE } from "../hearing/packages.ts";
import { filesIn, readTexts, readWav, samplesOf, soundsFolder } from "../hearing/prompts.ts";

// Human speech with its text, from Debian's packages.

/** Read prose (the goals' own words), cards and commands, prompts of several words, and prompts of one word. */
export const CLIP_GROUPS = ["reading", "commands", "prompts", "single words"] as const;
export type ClipGroup = (typeof CLIP_GROUPS)[number];

export interface Clip {
  group: ClipGroup;
  name: string;
  /** What is said. */
  text: string;
  /** 16,000 Hz. The prompts were recorded at 8,000 Hz and have nothing above 4 kHz. */
  samples: Int16Array;
}

export const CLIP_RATE_HZ = 16_000;
const READING_FOLDER = join(READING_PACKAGE, "usr/share/pocketsphinx/test/data");

/** Files without a header, whose texts are in no file of the package: its tests expect these words. */
const COMMANDS: Readonly<Record<string, string>> = {
  "goforward.raw": "go forward ten meters",
  "something.raw": "go somewhere and do something",
};

/** Texts that are not all that is said, or that can be said in several ways: notes in brackets, longer numbers. */
const UNCLEAR_TEXT = /[[(<]|\d{3}|\d\.\d/;
/** Letters and marks, whose names are no words, and sounds. */
const UNCLEAR_NAME = /^(?:letters|phonetic|silence)\/|beep|tone|monkeys|weasels/;

/** All English speech of the packages in `cacheDir` whose words are known, sorted by name in each group. */
export const readClips = (cacheDir: string, makeResampler: ResamplerFactory): Clip[] => [
  ...readLibrivox(join(cacheDir, READING_FOLDER)),
  ...readCommands(join(cacheDir, READING_FOLDER)),
  ...readPromptClips(cacheDir, makeResampler),
];

const readLibrivox = (folder: string): Clip[] =>
  transcriptions(join(folder, "librivox/transcription")).map(({ name, text }) => ({
    ...{ group: "reading", name: name.slice(-4), text },
    samples: readWav(join(folder, `librivox/${name}.wav`)),
  }));

const readCommands = (folder: string): Clip[] => [
  ...transcriptions(join(folder, "cards/cards.transcription")).map(
    ({ name, text }): Clip => ({
      ...{ group: "commands", name: `cards/${name}`, text },
      samples: readWav(join(folder, `cards/${name}.wav`)),
    }),
  ),
  ...Object.entries(COMMANDS).map(
    ([name, text]): Clip => ({ group: "commands", name, text, samples: samplesOf(readFileSync(join(folder, name))) }),
  ),
];

/** Lines of `<s> words </s> (name)`. */
const transcriptions = (path: string): { name: string; text: string }[] =>
  [...readFileSync(path, "utf8").matchAll(/<s>\s*(.*?)\s*<\/s>\s*\((\S+)\)/g)].map(([, text = "", name = ""]) => ({
    text,
    name,
  }));

function readPromptClips(cacheDir: string, makeResampler: ResamplerFactory): Clip[] {
  const folder = soundsFolder(join(cacheDir, audioPackageOf("en")));
  const texts = readTexts(cacheDir, "en");
  return filesIn(folder, ".wav").flatMap((file): Clip[] => {
    const name = file.slice(0, -".wav".length);
    const text = texts.get(name);
    if (text === undefined || UNCLEAR_NAME.test(name) || UNCLEAR_TEXT.test(text)) return [];
    const group = /[\p{L}\p{N}][^\p{L}\p{N}'’]+[\p{L}\p{N}]/u.test(text) ? "prompts" : "single words";
    return [
      { group, name, text: withNamesOfKeys(text), samples: upsampled(readWav(join(folder, file)), makeResampler) },
    ];
  });
}

const withNamesOfKeys = (text: string): string => text.replaceAll("*", "star").replaceAll("#", "pound");

/** From 8,000 to 16,000 Hz. */
export function upsampled(samples: Int16Array, makeResampler: ResamplerFactory): Int16Array {
  return resampled(samples, CARRIER_RATE_HZ, CLIP_RATE_HZ, makeResampler);
}

/** All of `samples` at another rate. */
export function resampled(
  samples: Int16Array,
  fromHz: number,
  toHz: number,
  makeResampler: ResamplerFactory,
): Int16Array {
  const resampler = makeResampler(fromHz, toHz);
  const all = [...resampler.process(samples), ...resampler.flush()];
  resampler.destroy();
  return Int16Array.from(all);
}
