import type { ModelName } from "../core/call-spec.ts";
import type { Clock } from "../core/clock.ts";
import { TrunklineError } from "../core/errors.ts";
import { type BrainSettings, brainProblems, createBrains } from "./brains.ts";
import { createEar, type EarSettings, earProblems } from "./ears.ts";
import type { Llm, Stt, Tts } from "./speech.ts";
import type { VoiceSettings } from "./voice-settings.ts";
import { createVoices, voicesProblems } from "./voices.ts";

/** The part of the configuration that chooses engines. */
export interface EnginesConfig {
  /** The ear; undefined when none is configured. */
  stt: string | undefined;
  earSettings: EarSettings;
  /** The voices, separated by commas: all are offered, and the first speaks where a voice's id names none of them. */
  tts: string;
  voiceSettings: VoiceSettings;
  /** Each `reference`, or a provider and its model: `openai:gpt-4o-mini`. */
  models: Readonly<Record<ModelName, string>>;
  brainSettings: BrainSettings;
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

/** What is wrong with the engines that a configuration names: the variable, the name, and the names that there are. */
export function engineProblems({
  stt,
  earSettings,
  tts,
  voiceSettings,
  models,
  brainSettings,
}: Omit<EnginesConfig, "espeakProcesses">): string[] {
  const problems = stt === undefined ? [] : earProblems(stt, earSettings);
  problems.push(...voicesProblems(tts, voiceSettings));
  problems.push(...brainProblems(models, brainSettings));
  return problems;
}

/**
 * The engines that a configuration names. Throws TrunklineError `bad_configuration`, before anything is started, with every
 * name that there is no engine for, the variable it stands in and the names that there are.
 */
export function createEngines(config: EnginesConfig, clock: Clock, log: WarningLog): Engines {
  const { stt, earSettings, tts, voiceSettings, models, brainSettings, espeakProcesses } = config;
  const problems = engineProblems(config);
  if (problems.length > 0) {
    throw new TrunklineError("bad_configuration", "caller", `bad configuration:\n  ${problems.join("\n  ")}`);
  }
  const voices = createVoices(tts, {
    settings: voiceSettings,
    espeakProcesses,
    clock,
    onTrouble: (provider, why) => log.warn({ provider, why }, "a voice program failed"),
  });
  return {
    stt: stt === undefined ? undefined : createEar(stt, earSettings, clock),
    tts: voices,
    llm: createBrains(models, brainSettings),
    close: () => voices.close(),
  };
}
