import type { ModelName } from "../core/call-spec.ts";
import type { Clock } from "../core/clock.ts";
import { TrunklineError } from "../core/errors.ts";
import { type ClosableTts, createEspeak } from "./providers/espeak.ts";
import type { EspeakPoolOptions } from "./providers/espeak-pool.ts";
import { createReferenceBrain } from "./providers/reference-brain.ts";
import { createReferenceEar } from "./providers/reference-ear.ts";
import { createReferenceVoice } from "./providers/reference-voice.ts";
import { withRetry } from "./retrying-voice.ts";
import type { Llm, Stt, Tts } from "./speech.ts";

/** The part of the configuration that chooses engines. */
export interface EnginesConfig {
  /** The ear; undefined when none is configured. */
  stt: string | undefined;
  tts: string;
  models: Readonly<Record<ModelName, string>>;
  /** How many programs the voice runs. */
  espeakProcesses: number;
}

/** The engines of one process, shared by its calls. */
export interface Engines {
  stt: Stt | undefined;
  tts: Tts;
  llm: Readonly<Record<ModelName, Llm>>;
  /** Ends what the engines keep running; after it they only fail. */
  close(): void;
}

/** What `createEngines` logs to. */
interface WarningLog {
  warn(fields: object, message: string): void;
}

const EARS: Readonly<Record<string, () => Stt>> = { reference: createReferenceEar };

const VOICES: Readonly<Record<string, (options: EspeakPoolOptions) => ClosableTts>> = {
  espeak: createEspeak,
  reference: createReferenceVoice,
};

const BRAINS: Readonly<Record<string, () => Llm>> = { reference: createReferenceBrain };

/**
 * The engines that a configuration names. Throws TrunklineError `bad_configuration`, before anything is started, with every
 * name that there is no engine for, the variable it stands in and the names that there are.
 */
export function createEngines(config: EnginesConfig, clock: Clock, log: WarningLog): Engines {
  const { stt, tts, models, espeakProcesses } = config;
  const problems: string[] = [];
  const choose = <T>(variable: string, name: string, engines: Readonly<Record<string, T>>): T => {
    const engine = Object.hasOwn(engines, name) ? engines[name] : undefined;
    if (engine === undefined) {
      problems.push(`${variable} must be one of ${Object.keys(engines).join(", ")}, not ${JSON.stringify(name)}`);
    }
    return engine as T; // Where it is undefined there is a problem, and nobody gets it.
  };
  const makeEar = stt === undefined ? undefined : choose("STT", stt, EARS);
  const makeVoice = choose("TTS", tts, VOICES);
  const makeBrains = {
    model_a: choose("MODEL_A", models.model_a, BRAINS),
    model_b: choose("MODEL_B", models.model_b, BRAINS),
    model_c: choose("MODEL_C", models.model_c, BRAINS),
  };
  if (problems.length > 0) {
    throw new TrunklineError("bad_configuration", "caller", `bad configuration:\n  ${problems.join("\n  ")}`);
  }
  const voice = makeVoice({
    children: espeakProcesses,
    clock,
    onTrouble: (why) => log.warn({ provider: tts, why }, "a voice program failed"),
  });
  return {
    stt: makeEar?.(),
    tts: withRetry(voice),
    llm: { model_a: makeBrains.model_a(), model_b: makeBrains.model_b(), model_c: makeBrains.model_c() },
    close: () => voice.close(),
  };
}
