import { writeFileSync } from "node:fs";
import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import { loadResampler } from "../../src/media/resampler.ts";
import type { VoiceActivityDetection } from "../../src/media/voice-activity/detector.ts";
import { Random } from "../../test/support/random.ts";
import { describeMachine } from "../harness/machine.ts";
import { CONDITIONS, type Condition, hasGsm, makeSounds, NO_SPEECH, type Sounds, soundAlone } from "./conditions.ts";
import { measureCost } from "./cost.ts";
import { decisionsOf } from "./decisions.ts";
import { DETECTORS, type Detector } from "./detectors.ts";
import { measure } from "./measures.ts";
import { fetchPackages, requirePackages } from "./packages.ts";
import { drawPicture } from "./picture.ts";
import { LANGUAGES, type Language, type Prompt, readMusic, readPrompts, TUNING_LANGUAGES } from "./prompts.ts";
import type { Cell, DeafnessCell, HearingResult, NoSpeechCell } from "./result.ts";
import { makeRepeatingTape, makeTape, REPEATED_SAMPLES, type Tape, truthBetween } from "./tapes.ts";

export interface HearingOptions {
  /** The longest tape. */
  minutes: number;
  seed: number;
  /** A folder's path: the packages are there, or with `fetches` they are downloaded to it. */
  cacheDir: string;
  fetches: boolean;
}

interface LoadedDetector extends Detector {
  detection: VoiceActivityDetection;
}

interface LanguageTape {
  language: Language;
  prompts: readonly Prompt[];
  tape: Tape;
}

/** At which minute the same prompts are said again, where the tapes are that long. */
const LATER_MINUTE = 20;
/** A tape that says something twice has other prompts in between. */
const DEAFNESS_MINUTES_MIN = 5;
const NO_SPEECH_MINUTES_MAX = 5;
const MUSIC_MINUTES_MAX = 18;
const SAMPLES_PER_MINUTE = 60 * CARRIER_RATE_HZ;

/** Runs all detectors over all tapes. Rejects where packages are missing. The same seed gives the same tapes. */
export async function runHearingBench(
  { minutes, seed, cacheDir, fetches }: HearingOptions,
  write: (line: string) => void,
  out: URL,
): Promise<HearingResult> {
  const startMs = performance.now();
  if (fetches) fetchPackages(cacheDir, write);
  requirePackages(cacheDir, "hearing");
  const random = new Random(seed);
  const tapes = await makeTapes(cacheDir, minutes, random.fork());
  const talkers = tapes.filter(({ language }) => TUNING_LANGUAGES.includes(language)).flatMap(({ prompts }) => prompts);
  const sounds = makeSounds(talkers, readMusic(cacheDir), random.fork());
  const detectors = await Promise.all(
    DETECTORS.map(async (detector) => ({ ...detector, detection: await detector.load() })),
  );
  const conditions = CONDITIONS.filter(({ name }) => name !== "GSM" || hasGsm());
  const cells = conditions.flatMap((condition) => cellsOf(condition, tapes, sounds, detectors, write));
  const deafness = conditions
    .filter(({ measuresDeafness }) => measuresDeafness)
    .flatMap((condition) => deafnessOf(condition, tapes, { sounds, detectors, minutes, seed, write }));
  const noSpeech = noSpeechOf(sounds, detectors, minutes);
  write("CPU time");
  const { cost, costSpeechShare } = measureCost(
    tapes.flatMap(({ prompts }) => prompts),
    sounds,
    detectors,
    random.fork(),
  );
  const picture = drawPicture(tapes[0]?.tape as Tape, sounds, detectors);
  writeFileSync(new URL("hearing-tape.svg", out), picture);
  return {
    machine: describeMachine(),
    minutes,
    seed,
    tookS: (performance.now() - startMs) / 1_000,
    hasGsm: hasGsm(),
    detectors: detectors.map(({ name, detection }) => ({ name, version: detection.version })),
    tapes: tapes.map(({ language, tape }) => ({
      language,
      prompts: tape.truth.utterances.length,
      minutes: tape.samples.length / SAMPLES_PER_MINUTE,
    })),
    costSpeechShare,
    cells,
    deafness,
    noSpeech,
    cost,
    picture,
  };
}

async function makeTapes(cacheDir: string, minutes: number, random: Random): Promise<LanguageTape[]> {
  const makeResampler = await loadResampler();
  return LANGUAGES.map((language) => {
    const prompts = readPrompts(cacheDir, language, makeResampler);
    return { language, prompts, tape: makeTape(prompts, minutes, random.fork()) };
  });
}

function cellsOf(
  condition: Condition,
  tapes: readonly LanguageTape[],
  sounds: Sounds,
  detectors: readonly LoadedDetector[],
  write: (line: string) => void,
): Cell[] {
  const { name, kind } = condition;
  const cells = tapes.flatMap(({ language, tape }) => {
    const heard = condition.sound(tape, sounds);
    return detectors.map(({ name: detector, detection }) => ({
      detector,
      condition: name,
      kind,
      language,
      measures: measure(decisionsOf(detection, heard), tape.truth, detection.onset),
    }));
  });
  const missed = detectors.map(({ name: detector }) => {
    const all = cells.filter((cell) => cell.detector === detector).map(({ measures }) => measures);
    const share = sum(all.map(({ missedFrames }) => missedFrames)) / sum(all.map(({ clearFrames }) => clearFrames));
    return `${detector} ${(100 * share).toFixed(1)} %`;
  });
  write(`${name}: clear speech missed by ${missed.join(", ")}`);
  return cells;
}

interface DeafnessMeans {
  sounds: Sounds;
  detectors: readonly LoadedDetector[];
  minutes: number;
  seed: number;
  write: (line: string) => void;
}

function deafnessOf(
  condition: Condition,
  tapes: readonly LanguageTape[],
  { sounds, detectors, minutes, seed, write }: DeafnessMeans,
): DeafnessCell[] {
  const minute = Math.min(LATER_MINUTE, minutes);
  if (minute < DEAFNESS_MINUTES_MIN) return [];
  write(`${condition.name}: the same prompts at the beginning and at minute ${minute}`);
  return tapes
    .filter(({ tape }) => tape.samples.length > DEAFNESS_MINUTES_MIN * SAMPLES_PER_MINUTE)
    .flatMap(({ language, prompts }) => {
      const tape = makeRepeatingTape(prompts, minute, new Random(seed));
      const heard = condition.sound(tape, sounds);
      return detectors.map(({ name: detector, detection }) => {
        const decisions = decisionsOf(detection, heard);
        const part = (from: number) => {
          const first = from / CARRIER_FRAME_SAMPLES;
          const end = first + REPEATED_SAMPLES / CARRIER_FRAME_SAMPLES;
          const truth = truthBetween(tape.truth, from, from + REPEATED_SAMPLES);
          return measure(decisions.subarray(first, end), truth, detection.onset);
        };
        const later = part(minute * SAMPLES_PER_MINUTE);
        return { detector, condition: condition.name, language, minute, first: part(0), later };
      });
    });
}

const noSpeechOf = (sounds: Sounds, detectors: readonly LoadedDetector[], minutes: number): NoSpeechCell[] =>
  NO_SPEECH.flatMap((one) => {
    const most = one.sound === "music" ? MUSIC_MINUTES_MAX : NO_SPEECH_MINUTES_MAX;
    const heard = soundAlone(one, sounds, Math.min(minutes, most) * SAMPLES_PER_MINUTE);
    return detectors.map(({ name: detector, detection }) => {
      const decisions = decisionsOf(detection, heard);
      const voicedFrames = sum([...decisions]);
      const isJudged = one.sound !== "babble";
      return { detector, sound: one.name, isJudged, frames: decisions.length, voicedFrames };
    });
  });

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
