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

/** What is wrong with the engines that a configuration names: the variable, the name, and the names that there are. */
export function engineProblems({ stt, tts, models }: Omit<EnginesConfig, "espeakProcesses">): string[] {
  const problems: string[] = [];
  const check = (variable: string, name: string, engines: Readonly<Record<string, unknown>>): void => {
    if (Object.hasOwn(engines, name)) return;
    problems.push(`${variable} must be one of ${Object.keys(engines).join(", ")}, not ${JSON.stringify(name)}`);
  };
  if (stt !== undefined) check("STT", stt, EARS);
  check("TTS", tts, VOICES);
  check("MODEL_A", models.model_a, BRAINS);
  check("MODEL_B", models.model_b, BRAINS);
  check("MODEL_C", models.model_c, BRAINS);
  return problems;
}

/**
 * The engines that a configuration names. Throws TrunklineError `bad_configuration`, before anything is started, with every
 * name that there is no engine for, the variable it stands in and the names that there are.
 */
export function createEngines(config: EnginesConfig, clock: Clock, log: WarningLog): Engines {
  const { stt, tts, models, espeakProcesses } = config;
  const problems = engineProblems(config);
  const makeVoice = VOICES[tts];
  const [makeA, makeB, makeC] = [BRAINS[models.model_a], BRAINS[models.model_b], BRAINS[models.model_c]];
  if (problems.length > 0 || makeVoice === undefined || !makeA || !makeB || !makeC) {
    throw new TrunklineError("bad_configuration", "caller", `bad configuration:\n  ${problems.join("\n  ")}`);
  }
  const voice = makeVoice({
    children: espeakProcesses,
    clock,
    onTrouble: (why) => log.warn({ provider: tts, why }, "a voice program failed"),
  });
  return {
    stt: stt === undefined ? undefined : EARS[stt]?.(),
    tts: withRetry(voice),
    llm: { model_a: makeA(), model_b: makeB(), model_c: makeC() },
    close: () => voice.close(),
  };
}
