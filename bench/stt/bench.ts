import { comparableWords, sumOfErrors, type WordErrors, wordErrors } from "../../src/core/text/word-errors.ts";
import { loadResampler, type ResamplerFactory } from "../../src/media/resampler.ts";
import { Random } from "../../test/support/random.ts";
import { describeMachine } from "../harness/machine.ts";
import { fetchPackages, requirePackages } from "../hearing/packages.ts";
import { CLIP_RATE_HZ, type Clip, readClips } from "./clips.ts";
import { measureCost } from "./cost.ts";
import { EngineProcess } from "./engine-process.ts";
import { floats, LINES, type Line, overLine } from "./lines.ts";
import { longUtterances } from "./long.ts";
import { makeNoSpeech } from "./no-speech.ts";
import type { ClipResult, LongResult, NoSpeechResult, SttResult } from "./result.ts";
import { transcribeUtterance } from "./utterance.ts";

/** Of the installed model. */
const LANGUAGE = "en";

export interface SttOptions {
  /** Of the prompts and of the single words every so many are transcribed. */
  every: number;
  seed: number;
  /** A folder's path: the packages are there, or with `fetches` they are downloaded to it. */
  cacheDir: string;
  fetches: boolean;
}

/** What the parts of a run have in common. */
interface Run {
  engine: EngineProcess;
  makeResampler: ResamplerFactory;
  seed: number;
  write: (line: string) => void;
}

/** Transcribes human speech over several lines, sounds without speech, and long utterances. Rejects where packages are missing. */
export async function runSttBench(
  { every, seed, cacheDir, fetches }: SttOptions,
  write: (line: string) => void,
): Promise<SttResult> {
  const startMs = performance.now();
  if (fetches) fetchPackages(cacheDir, write);
  requirePackages(cacheDir, "stt");
  const makeResampler = await loadResampler();
  const all = readClips(cacheDir, makeResampler);
  const clips = all.filter(({ group }, at) => group === "reading" || group === "commands" || at % every === 0);
  const cost = await measureCost(all, write);
  const engine = await EngineProcess.start();
  try {
    const run = { engine, makeResampler, seed, write };
    const results: ClipResult[] = [];
    for (const line of LINES) results.push(...(await overOneLine(run, clips, line)));
    return {
      machine: describeMachine(),
      seed,
      every,
      model: engine.loaded.name,
      clips: results,
      noSpeech: await withoutSpeech(run, cacheDir),
      long: await longOnes(run, all),
      cost,
      tookS: (performance.now() - startMs) / 1_000,
    };
  } finally {
    await engine.stop();
  }
}

async function overOneLine(
  { engine, makeResampler, seed, write }: Run,
  clips: readonly Clip[],
  line: Line,
): Promise<ClipResult[]> {
  write(`${line}: ${clips.length} clips`);
  const random = new Random(seed);
  const results: ClipResult[] = [];
  for (const { group, name, text, samples } of clips) {
    const { text: heard, averageLogProbability } = await transcribeUtterance(
      overLine(samples, line, makeResampler, random.fork()),
      LANGUAGE,
      (window) => engine.transcribe(window),
    );
    const errors = wordErrors(comparableWords(text), comparableWords(heard));
    results.push({ group, line, name, text, heard, errors, averageLogProbability });
  }
  return results;
}

async function withoutSpeech({ engine, makeResampler, seed, write }: Run, cacheDir: string): Promise<NoSpeechResult[]> {
  const sounds = makeNoSpeech(cacheDir, makeResampler, new Random(seed));
  write(`${sounds.length} sounds without speech`);
  const results = new Map<string, { sounds: number; invented: string[] }>();
  for (const { kind, samples } of sounds) {
    const { text } = await engine.transcribe(samples);
    const result = results.get(kind) ?? { sounds: 0, invented: [] };
    results.set(kind, result);
    result.sounds += 1;
    if (text !== "") result.invented.push(text);
  }
  return [...results].map(([kind, result]) => ({ kind, ...result }));
}

async function longOnes({ engine, write }: Run, all: readonly Clip[]): Promise<LongResult[]> {
  const results: LongResult[] = [];
  for (const { name, clips, samples } of longUtterances(all)) {
    write(name);
    const errorsOf = async (heard: Int16Array, texts: readonly string[]): Promise<WordErrors> =>
      wordErrors(
        texts.flatMap((text) => comparableWords(text)),
        comparableWords(
          (await transcribeUtterance(floats(heard), LANGUAGE, (window) => engine.transcribe(window))).text,
        ),
      );
    const apart: WordErrors[] = [];
    for (const clip of clips) apart.push(await errorsOf(clip.samples, [clip.text]));
    results.push({
      name,
      lengthS: samples.length / CLIP_RATE_HZ,
      errors: await errorsOf(
        samples,
        clips.map(({ text }) => text),
      ),
      apart: sumOfErrors(apart),
    });
  }
  return results;
}
