import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../../../src/core/clock.ts";
import { comparableWords, sumOfErrors, wordErrorPercent, wordErrors } from "../../../../src/core/text/word-errors.ts";
import { DEFAULT_TRANSCRIPTION_OPTIONS } from "../../../../src/core/transcriptions/options.ts";
import type { TranscriptionResult } from "../../../../src/core/transcriptions/result.ts";
import { loadResampler } from "../../../../src/media/resampler.ts";
import { loadFvad } from "../../../../src/media/voice-activity/fvad.ts";
import { monoWav } from "../../../../src/media/wav.ts";
import { loadVoiceActivity } from "../../../../src/process/worker/voice-activity.ts";
import type { LocalSpeech, SpeechTask, TranscribeTask } from "../../../../src/speech/local/jobs.ts";
import { openSpeechPool } from "../../../../src/speech/local/pool/open.ts";
import { createLocalBatchStt } from "../../../../src/speech/stt/providers/local/batch.ts";
import { transcribeFile } from "../../../../src/transcription/parts/transcribe-file.ts";
import { Random } from "../../../support/random.ts";
import { KilledService } from "../../killed-service.ts";
import { type JoinedSpeech, joinSpeech, RATE_HZ, sharesOf, type Utterance } from "./speech.ts";

// One recording of known utterances through the whole service with the local engine; beside it, each utterance alone, and the model
// alone in a loop over the same audio.

const PROCESSES = 2;
const LANGUAGE = "en";
const POLL_MS = 250;
const DONE_MS_MAX = 3_600_000;

export interface LocalBatchResult {
  seconds: number;
  shares: Record<Utterance["source"], number>;
  words: number;
  /** Word error, percent: of the recording that was cut and joined, and of each utterance alone at its known ends. */
  joinedPercent: number;
  alonePercent: number;
  /** Seconds of audio in one second. */
  timesRealTime: number;
  /** How much longer it took than the model alone for the same windows, percent. */
  overheadPercent: number;
}

interface Item {
  id: string;
  status: string;
  result?: TranscriptionResult | null;
}

/** Transcribes about so many seconds of random utterances. */
export async function transcribeLocally(
  speech: readonly Utterance[],
  seconds: number,
  seed: number,
  print: (line: string) => void,
): Promise<LocalBatchResult> {
  const joined = joinSpeech(speech, seconds, new Random(seed));
  const folder = mkdtempSync(join(tmpdir(), "trunkline-local-"));
  try {
    const path = join(folder, "joined.wav");
    writeFileSync(path, monoWav(joined.samples, RATE_HZ));
    const { text, tookS } = await throughService(path);
    print(`  local engine: ${Math.round(seconds)} s of audio in ${tookS.toFixed(1)} s`);
    const { alone, modelS } = await withModel(joined, path);
    const said = joined.utterances.map((each) => comparableWords(each.text));
    return {
      seconds: joined.samples.length / RATE_HZ,
      shares: sharesOf(joined),
      words: said.flat().length,
      joinedPercent: wordErrorPercent(wordErrors(said.flat(), comparableWords(text))),
      alonePercent: wordErrorPercent(
        sumOfErrors(said.map((words, index) => wordErrors(words, comparableWords(alone[index] ?? "")))),
      ),
      timesRealTime: joined.samples.length / RATE_HZ / tookS,
      overheadPercent: 100 * (tookS / modelS - 1),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The models are loaded before: the first file of a service waits for them. */
async function throughService(path: string): Promise<{ text: string; tookS: number }> {
  const service = await KilledService.start("SQLite", {
    STT: "local",
    LOCAL_STT_PROCESSES: String(PROCESSES),
    TRANSCRIPTION_BYTES_MAX: String(4 * 1024 ** 3),
  });
  try {
    const transcribe = async (file: string): Promise<TranscriptionResult> => {
      const { id } = await service.upload<Item>("/transcriptions", file, { language: LANGUAGE });
      const endMs = performance.now() + DONE_MS_MAX;
      while (performance.now() < endMs) {
        const { data } = await service.ask<{ data: Item[] }>("GET", "/transcriptions?limit=1");
        if (data[0]?.status === "completed" || data[0]?.status === "failed") break;
        await delay(POLL_MS);
      }
      const { status, result } = await service.ask<Item>("GET", `/transcriptions/${id}`);
      if (result === null || result === undefined) throw new Error(`a file of the local engine is ${status}`);
      return result;
    };
    await transcribe(WARM_UP);
    const begunMs = performance.now();
    const { text } = await transcribe(path);
    return { text, tookS: (performance.now() - begunMs) / 1_000 };
  } finally {
    await service.remove();
  }
}

const WARM_UP = new URL("../../../../fixtures/librivox/sense_and_sensibility_01_austen_64kb-0870.wav", import.meta.url)
  .pathname;

async function withModel(joined: JoinedSpeech, path: string): Promise<{ alone: string[]; modelS: number }> {
  const windows = await windowsOf(path);
  const pool = openSpeechPool(
    { processes: PROCESSES, modelFolder: undefined, turnModelPath: undefined },
    systemClock,
    console,
  );
  try {
    const [first] = windows;
    if (first === undefined) throw new Error("the recording has no speech");
    await Promise.all(Array.from({ length: PROCESSES }, () => pool.submit({ ...first }, "batch").outcome));
    const begunMs = performance.now();
    await inTurn(windows, (window) => pool.submit(window, "batch").outcome);
    const modelS = (performance.now() - begunMs) / 1_000;
    const stt = createLocalBatchStt({ speech: pool, languages: [LANGUAGE], processes: PROCESSES });
    const alone: string[] = [];
    await inTurn(joined.utterances, async ({ samples }, index) => {
      const request = { samples, language: LANGUAGE, speakers: false, vocabulary: [] };
      const { words } = await stt.transcribe(request, new AbortController().signal);
      alone[index] = words.map(({ text }) => text).join(" ");
    });
    return { alone, modelS };
  } finally {
    pool.close();
  }
}

/** Everything that the model is given of a file. How it is cut does not depend on what is understood. */
async function windowsOf(path: string): Promise<TranscribeTask[]> {
  const windows: TranscribeTask[] = [];
  const speech: LocalSpeech = {
    submit: (task: SpeechTask) => {
      if (task.kind === "transcribe") windows.push(task);
      const hypothesis = { text: "", averageLogProbability: 0, isStopped: false };
      const outcome = { outcome: "done" as const, hypothesis, waitMs: 0, passMs: 0, lateMs: 0 };
      return { outcome: Promise.resolve(outcome), raise: () => {}, cancel: () => {} };
    },
    close: () => {},
  };
  const stt = createLocalBatchStt({ speech, languages: [LANGUAGE], processes: PROCESSES });
  const [makeResampler, openFvad] = await Promise.all([loadResampler(), loadFvad()]);
  await transcribeFile({
    path,
    options: { ...DEFAULT_TRANSCRIPTION_OPTIONS, language: LANGUAGE },
    isTranscribed: () => false,
    stt: {
      capabilities: stt.capabilities,
      transcribe: async (request, signal) => ({
        ...(await stt.transcribe(request, signal)),
        provider: "local",
        usage: [],
      }),
    },
    voiceActivity: await loadVoiceActivity(openFvad, "silero", 1),
    makeResampler,
    ffmpeg: undefined,
    clock: systemClock,
    signal: new AbortController().signal,
    onRequest: async () => {},
    onTranscribed: async () => {},
    onProgress: () => {},
  });
  return windows;
}

/** Works on all items, as many at once as the engine has processes. */
async function inTurn<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < items.length) {
      const index = next;
      next += 1;
      await work(items[index] as Item, index);
    }
  };
  await Promise.all(Array.from({ length: PROCESSES }, one));
}
