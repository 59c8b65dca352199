import {
  comparableWords,
  NO_ERRORS,
  sumOfErrors,
  type WordErrors,
  wordErrors,
} from "../../src/core/text/word-errors.ts";
import { loadResampler } from "../../src/media/resampler.ts";
import { loadSpeechModel } from "../../src/speech/local/engine/load.ts";
import type { SpeechModel } from "../../src/speech/local/speech-model.ts";
import { describeMachine, type Machine } from "../harness/machine.ts";
import { fetchPackages, requirePackages } from "../hearing/packages.ts";
import { transcribeUtterance } from "../stt/utterance.ts";
import { CONDITIONS, type Condition, readSpeech, SPEECH_SETS, type SpeechSet, type Utterance } from "./speech.ts";

export interface SttModelsOptions {
  /** Folders of models; undefined is the installed one. */
  folders: readonly (string | undefined)[];
  cacheDir: string;
  fetches: boolean;
  /** Utterances of each language. */
  count: number;
}

/** One utterance as a model understood it. */
export interface Heard {
  name: string;
  condition: Condition;
  reference: string;
  text: string;
  errors: WordErrors;
  averageLogProbability: number;
  audioMs: number;
  /** CPU time of the pass. */
  cpuMs: number;
}

export interface ModelSet {
  set: SpeechSet;
  heard: Heard[];
}

export interface ModelResult {
  name: string;
  languages: number;
  /** CPU time of loading. */
  loadCpuMs: number;
  sets: ModelSet[];
}

export interface SttModelsResult {
  machine: Machine;
  count: number;
  models: ModelResult[];
}

/** Hears the same speech with each model, one after the other, in this process. Sets of other languages are left out. */
export async function runSttModelsBench(
  { folders, cacheDir, fetches, count }: SttModelsOptions,
  write: (line: string) => void,
): Promise<SttModelsResult> {
  if (fetches) fetchPackages(cacheDir, write);
  requirePackages(cacheDir, "hearing");
  const makeResampler = await loadResampler();
  const speech = SPEECH_SETS.map((set) => ({ set, utterances: readSpeech(cacheDir, set, count, makeResampler) }));
  const models: ModelResult[] = [];
  for (const folder of folders) {
    const startedMs = cpuMs();
    const model = await loadSpeechModel(folder);
    const result: ModelResult = {
      name: model.name,
      languages: model.languages.length,
      loadCpuMs: cpuMs() - startedMs,
      sets: [],
    };
    models.push(result);
    for (const { set, utterances } of speech) {
      if (!model.languages.includes(utterances[0]?.language ?? "")) continue;
      const heard = await hearAll(model, utterances);
      result.sets.push({ set, heard });
      write(`${model.name}: ${set}, ${heard.length} passes, ${errorsOf(heard).words} words`);
    }
  }
  return { machine: describeMachine(), count, models };
}

async function hearAll(model: SpeechModel, utterances: readonly Utterance[]): Promise<Heard[]> {
  const heard: Heard[] = [];
  for (const utterance of utterances) {
    for (const condition of CONDITIONS) heard.push(await hear(model, utterance, condition));
  }
  return heard;
}

async function hear(
  model: SpeechModel,
  { name, language, words, samples }: Utterance,
  condition: Condition,
): Promise<Heard> {
  const startedMs = cpuMs();
  const { text, averageLogProbability } = await transcribeUtterance(samples[condition], language, (window) =>
    model.transcribe(window, { language, shouldStop: () => false }),
  );
  return {
    ...{ name, condition, reference: words.join(" "), text, averageLogProbability },
    errors: wordErrors(words, comparableWords(text, { numbers: language === "en" })),
    audioMs: samples[condition].length / 16,
    cpuMs: cpuMs() - startedMs,
  };
}

/** All errors of `heard` in `condition`, or in all conditions. */
export const errorsOf = (heard: readonly Heard[], condition?: Condition): WordErrors =>
  sumOfErrors(
    heard.flatMap((each) => (condition === undefined || each.condition === condition ? [each.errors] : [])),
  ) ?? NO_ERRORS;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
