import type { ModelName } from "../core/calls/spec.ts";
import type { ContextSizes } from "./llm/context-sizes.ts";
import { LLM_PROVIDERS, type LlmSettings, llmProblems } from "./llm/settings.ts";
import { STT_PROVIDERS, type SttSettings, sttProblems } from "./stt/settings.ts";
import { TTS_PROVIDERS, type TtsSettings, ttsProblems } from "./tts/settings.ts";

/** The part of the configuration that chooses speech providers. */
export interface SpeechConfig {
  /** STT providers in order of failover, separated by commas; undefined when none is configured. */
  stt: string | undefined;
  sttSettings: SttSettings;
  /**
   * TTS providers, separated by commas. The voices of all are offered. The first is used where a voice's id names none
   * of them; when one fails, the others replace it in this order.
   */
  tts: string;
  ttsSettings: TtsSettings;
  /**
   * Each is `reference`, or a provider and its model, `openai:gpt-4o-mini`; or several, in order of failover, with
   * commas.
   */
  models: Readonly<Record<ModelName, string>>;
  llmSettings: LlmSettings;
  /** Context sizes of models, by `provider:model`, where the operator sets them. */
  contextSizes: ContextSizes;
  /** How many eSpeak processes to run. */
  espeakProcesses: number;
  /**
   * Concurrent streams per provider, for each stage and in each process; a provider that is not listed has no limit.
   */
  streamsMax: Readonly<Record<string, number>>;
}

/** The names of all providers. */
export const PROVIDER_NAMES: readonly string[] = [
  ...new Set([...STT_PROVIDERS, ...LLM_PROVIDERS, ...TTS_PROVIDERS]),
].sort();

/** The problems of a configuration's speech providers: each names the variable, the bad value and the valid ones. */
export function speechConfigProblems({
  stt,
  sttSettings,
  tts,
  ttsSettings,
  models,
  llmSettings,
  streamsMax,
}: Omit<SpeechConfig, "espeakProcesses" | "contextSizes">): string[] {
  const problems = stt === undefined ? [] : sttProblems(stt, sttSettings);
  problems.push(...ttsProblems(tts, ttsSettings));
  problems.push(...llmProblems(models, llmSettings));
  for (const name of Object.keys(streamsMax).filter((given) => !PROVIDER_NAMES.includes(given))) {
    problems.push(`PROVIDER_STREAMS_MAX must name any of ${PROVIDER_NAMES.join(", ")}, not ${JSON.stringify(name)}`);
  }
  return problems;
}
