import type { ModelName } from "../core/call-spec.ts";
import type { Clock } from "../core/clock.ts";
import { codeOf, TrunklineError } from "../core/errors.ts";
import { withoutForeignText } from "../core/log.ts";
import type { Engine, WorkerMetrics } from "../core/metrics.ts";
import { BRAIN_PROVIDERS, type BrainSettings, brainProblems, createBrains } from "./brains.ts";
import type { ContextSizes } from "./context-sizes.ts";
import { createEars, EAR_PROVIDERS, type EarSettings, earProblems } from "./ears.ts";
import { ProviderLine, type ProviderWatch } from "./provider-line.ts";
import { ReferencePlanner } from "./providers/reference-planner.ts";
import type { Llm, Stt, Tts } from "./speech.ts";
import type { VoiceSettings } from "./voice-settings.ts";
import { createVoices, VOICE_PROVIDERS, voicesProblems } from "./voices.ts";

/** The part of the configuration that chooses engines. */
export interface EnginesConfig {
  /** The ears, separated by commas, each for when the one before it fails; undefined when none is configured. */
  stt: string | undefined;
  earSettings: EarSettings;
  /**
   * The voices, separated by commas: all are offered, and the first speaks where a voice's id names none of them. Where one fails the
   * others speak in its place, in this order.
   */
  tts: string;
  voiceSettings: VoiceSettings;
  /** Each `reference`, or a provider and its model, `openai:gpt-4o-mini`; or several of them, likewise. */
  models: Readonly<Record<ModelName, string>>;
  brainSettings: BrainSettings;
  /** The contexts of models, by `provider:model`, where the operator names them. */
  contextSizes: ContextSizes;
  /** How many programs the voice runs. */
  espeakProcesses: number;
  /** How many streams a provider may have at once, of each kind and in each process; any number where it is not named. */
  streamsMax: Readonly<Record<string, number>>;
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
  error(fields: object, message: string): void;
}

/** The name of every provider that there is. */
export const PROVIDERS: readonly string[] = [
  ...new Set([...EAR_PROVIDERS, ...BRAIN_PROVIDERS, ...VOICE_PROVIDERS]),
].sort();

/** What is wrong with the engines that a configuration names: the variable, the name, and the names that there are. */
export function engineProblems({
  stt,
  earSettings,
  tts,
  voiceSettings,
  models,
  brainSettings,
  streamsMax,
}: Omit<EnginesConfig, "espeakProcesses" | "contextSizes">): string[] {
  const problems = stt === undefined ? [] : earProblems(stt, earSettings);
  problems.push(...voicesProblems(tts, voiceSettings));
  problems.push(...brainProblems(models, brainSettings));
  for (const name of Object.keys(streamsMax).filter((given) => !PROVIDERS.includes(given))) {
    problems.push(`STREAMS_MAX must name any of ${PROVIDERS.join(", ")}, not ${JSON.stringify(name)}`);
  }
  return problems;
}

/** What of a worker's metrics is told of providers. */
export type EngineMetrics = Pick<
  WorkerMetrics,
  "providerKnown" | "providerFailed" | "providerLeftAlone" | "budgetedTask"
>;

/**
 * The engines that a configuration names. Throws TrunklineError `bad_configuration`, before anything is started, with every
 * name that there is no engine for, the variable it stands in and the names that there are.
 */
export function createEngines(config: EnginesConfig, clock: Clock, log: WarningLog, metrics?: EngineMetrics): Engines {
  const { stt, earSettings, tts, voiceSettings, models, brainSettings, contextSizes, espeakProcesses, streamsMax } =
    config;
  const problems = engineProblems(config);
  if (problems.length > 0) {
    throw new TrunklineError("bad_configuration", "caller", `bad configuration:\n  ${problems.join("\n  ")}`);
  }
  const lines = new Map<string, ProviderLine>();
  const watch = watchOf(log, metrics);
  /** The line of a provider, which is one for all that needs it. */
  const lineOf = (engine: Engine, provider: string): ProviderLine => {
    const key = `${engine} ${provider}`;
    const max = streamsMax[provider] ?? Number.POSITIVE_INFINITY;
    const line = lines.get(key) ?? new ProviderLine({ engine, provider, streamsMax: max, clock, watch });
    lines.set(key, line);
    return line;
  };
  const voices = createVoices(tts, {
    settings: voiceSettings,
    espeakProcesses,
    clock,
    onTrouble: (provider, why) => log.warn({ provider, why }, "a voice program failed"),
    lineOf: (provider) => lineOf("voice", provider),
  });
  const planner = new ReferencePlanner({
    clock,
    log,
    count: (outcome) => metrics?.budgetedTask("reference_llm", outcome),
  });
  const ears = (named: string): Stt => createEars(named, earSettings, (provider) => lineOf("ear", provider), clock);
  return {
    stt: stt === undefined ? undefined : ears(stt),
    tts: voices,
    llm: createBrains(models, brainSettings, contextSizes, (provider) => lineOf("model", provider), clock, planner),
    close() {
      voices.close();
      void planner.close();
    },
  };
}

function watchOf(log: WarningLog, metrics: EngineMetrics | undefined): ProviderWatch {
  return {
    known: (engine, provider) => metrics?.providerKnown(engine, provider),
    failed(engine, provider, error) {
      log.warn({ engine, provider, code: codeOf(error), ...withoutForeignText(error) }, "a provider failed");
      metrics?.providerFailed(engine, provider);
    },
    leftAlone(engine, provider, isLeftAlone) {
      log.warn(
        { engine, provider },
        isLeftAlone ? "a provider that fails was left alone" : "a provider answered again",
      );
      metrics?.providerLeftAlone(engine, provider, isLeftAlone);
    },
  };
}
