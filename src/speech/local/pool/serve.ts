import { getPriority, setPriority } from "node:os";
import { exitWithParent } from "../../../core/child-processes/parent-watchdog.ts";
import { LOCAL_SPEECH_NICE, SPEECH_MODEL_RATE_HZ } from "../../../core/limits/speech-providers/local-speech.ts";
import { seededRandom } from "../../../core/seeded-random.ts";
import { loadResampler, type ResamplerFactory } from "../../../media/resampler.ts";
import type { TurnModel } from "../engine/turn-model.ts";
import type { SpeechTask } from "../jobs.ts";
import type { SpeechModel } from "../speech-model.ts";
import type { FromSpeechChild, ToSpeechChild } from "./messages.ts";

const WARM_UP_S = 2;

/** The models of a child. */
export interface ChildModels {
  speech: SpeechModel;
  /** Undefined where none is configured: its jobs fail. */
  turn: TurnModel | undefined;
}

/**
 * Runs the jobs of a `SpeechPool` in its child, one at a time, with the models that `load` returns. Resolves when they are loaded;
 * exits when they cannot be loaded, and when the parent is gone.
 */
export async function serveSpeechModels(load: () => Promise<ChildModels>): Promise<void> {
  // The parent ends this process by closing the IPC channel: calls need it also while the service drains.
  for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"]) process.on(signal, () => {});
  process.on("disconnect", () => process.exit(0));
  exitWithParent(process.ppid);
  // Raising a priority needs a privilege, so one that is lower already stays.
  setPriority(Math.max(getPriority(), LOCAL_SPEECH_NICE));
  const [models, makeResampler] = await Promise.all([loadOrExit(load), loadResampler()]);
  await warmUp(models.speech);
  let stopped = 0;
  /** Lets messages arrive, which the model's computing keeps out. */
  const isStopped = async (id: number): Promise<boolean> => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    return stopped === id;
  };
  process.on("message", (message: ToSpeechChild) => {
    if (message.kind === "stop") stopped = message.id;
    else void answer(message.id, message.task, models, makeResampler, () => isStopped(message.id)).then(send);
  });
  await send({ kind: "ready", model: models.speech.name, languages: models.speech.languages, ...used() });
  if (!process.connected) process.exit(0);
}

async function loadOrExit(load: () => Promise<ChildModels>): Promise<ChildModels> {
  try {
    return await load();
  } catch (error) {
    await send({ kind: "unusable", reason: messageOf(error) });
    process.exit(1);
  }
}

/** The first pass of a process takes several times as long as the next ones: no call should wait for it. */
async function warmUp(model: SpeechModel): Promise<void> {
  const random = seededRandom(1);
  const noise = Float32Array.from({ length: WARM_UP_S * SPEECH_MODEL_RATE_HZ }, () => 0.1 * (random() - 0.5));
  await model.transcribe(noise, { language: model.languages[0] as string, shouldStop: () => false });
}

async function answer(
  id: number,
  task: SpeechTask,
  models: ChildModels,
  makeResampler: ResamplerFactory,
  shouldStop: () => Promise<boolean>,
): Promise<FromSpeechChild> {
  const startMs = performance.now();
  try {
    const samples = modelSamples(task, makeResampler);
    if (task.kind === "end-of-turn") {
      if (models.turn === undefined) throw new Error("no turn model is configured");
      const probability = await models.turn.probability(samples);
      return { kind: "judged", id, probability, passMs: performance.now() - startMs, ...used() };
    }
    const hypothesis = await models.speech.transcribe(samples, { language: task.language, shouldStop });
    return { kind: "done", id, hypothesis, passMs: performance.now() - startMs, ...used() };
  } catch (error) {
    return { kind: "failed", id, reason: messageOf(error), ...used() };
  }
}

/** The samples at the model's rate, -1 to 1. */
function modelSamples({ samples, rateHz }: SpeechTask, makeResampler: ResamplerFactory): Float32Array {
  if (rateHz === SPEECH_MODEL_RATE_HZ) return Float32Array.from(samples, (sample) => sample / 32_768);
  const resampler = makeResampler(rateHz, SPEECH_MODEL_RATE_HZ);
  const resampled = new Float32Array(Math.ceil((samples.length * SPEECH_MODEL_RATE_HZ) / rateHz));
  let count = 0;
  const append = (part: Int16Array): void => {
    for (const sample of part) {
      resampled[count] = sample / 32_768;
      count += 1;
    }
  };
  append(resampler.process(samples));
  append(resampler.flush());
  resampler.destroy();
  return resampled;
}

function used(): { residentBytes: number; cpuMs: number } {
  const { user, system } = process.cpuUsage();
  return { residentBytes: process.memoryUsage.rss(), cpuMs: (user + system) / 1_000 };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Resolves when the message was handed to the channel. */
const send = (message: FromSpeechChild): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
