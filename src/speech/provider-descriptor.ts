import { strict as assert } from "node:assert";
import type { PriceName } from "../core/billing/prices.ts";
import type { Stage } from "../core/calls/stages.ts";
import type { Clock } from "../core/clock.ts";
import type { DeclaredReader, Variable, Variables } from "../core/configuration/variable.ts";
import type { ClosableTts, Llm, Stt } from "./contracts.ts";
import type { LocalSpeech } from "./local/jobs.ts";
import type { ToolChooser } from "./reference/tools/chooser.ts";
import type { BatchStt } from "./stt/batch/contract.ts";

/** What is known of a provider of any stage before it is created. */
interface Capabilities {
  /** How its server is reached; absent where it has none. The fault suites of the tests choose by it. */
  readonly connection?: "http" | "websocket";
  /** It is a test instrument, and serves trials. The text is a relative clause that says why it holds no conversation. */
  readonly testInstrument?: string;
  /** It cannot fail as a server can: where it is the only provider, it has no fallback wrapper. */
  readonly needsNoFallback?: true;
}

interface LlmCapabilities extends Capabilities {
  /**
   * Absent where it has no models. Otherwise it is configured as `provider:model`, and these are the published context
   * sizes of its models in tokens, prompt and reply together; the first match counts. Where the models of a family
   * differ, the smallest size is used.
   */
  readonly models?: readonly (readonly [names: RegExp, contextTokens: number])[];
}

interface TtsCapabilities extends Capabilities {
  /** It is sent the text as the LLM wrote it, without text normalization. */
  readonly speaksTextUnchanged?: true;
}

/** By stage: what is known of a provider, what `create` is given, and what it returns. */
export interface StageTypes {
  stt: { capabilities: Capabilities; deps: SttDeps; provider: Stt };
  llm: { capabilities: LlmCapabilities; deps: LlmDeps; provider: Llm };
  tts: { capabilities: TtsCapabilities; deps: TtsDeps; provider: ClosableTts };
}

export interface SttDeps {
  clock: Clock;
  /** The speech models of this machine, which all that use them in this process share. */
  openLocalSpeech: () => Promise<LocalSpeech>;
}

interface LlmDeps {
  /** The provider's own name of the model; empty for a provider without models. */
  model: string;
  toolChooser: ToolChooser;
}

export interface TtsDeps {
  clock: Clock;
  /** Only the voices are listed: one child process is enough. */
  listsVoicesOnly: boolean;
  /** Called for each child process that failed and will be replaced. */
  onProcessFailure: (reason: string) => void;
}

/** What is constant about a provider in one stage. */
interface ProviderFacts<S extends Stage> {
  /** Its name in variables, prices, records and metrics: lower-case letters. */
  readonly id: string;
  readonly stage: S;
  readonly capabilities: StageTypes[S]["capabilities"];
  /** Variables of the provider's own programs that end as ours do: they are not misspelled ones of ours. */
  readonly foreignVariables?: RegExp;
  /** The provider whose account pays, where that is another one: its API key is this one's, too. */
  readonly accountOf?: string;
  /** The names in PRICES without which a call that uses it cannot have `maxCost`; absent where it needs none. */
  readonly prices?: readonly PriceName[];
}

/** All that is known of a provider: one constant, in the folder of the provider. */
interface ProviderDescription<S extends Stage, Name extends string, Settings extends object> extends ProviderFacts<S> {
  /** Its variables with their defaults, in the order of docs/configuration.md. Providers may share a variable. */
  readonly variables: Readonly<Record<Name, Variable>>;
  /** Its settings, as plain data. Invalid values are returned as they are. */
  readonly readSettings: (read: DeclaredReader<Name>) => Settings;
  /** What is wrong with the settings: each names the variable and what would be right, and quotes no API key. */
  readonly problems: (settings: Settings) => readonly string[];
  /**
   * Of STT: whether it transcribes `language`, a code as in `GET /languages`, with these settings, which have no
   * problems. Calls in other languages never reach it. Absent where it transcribes every language. A model of unknown languages is taken to know those that
   * the provider's best model knows: it refuses what it does not know, and the next provider gets the audio.
   */
  readonly servesLanguage?: S extends "stt" ? (settings: Settings, language: string) => boolean : never;
  /** Imports the bare adapter and creates it, from settings without problems. The descriptor itself imports no adapter. */
  readonly create: (settings: Settings, deps: StageTypes[S]["deps"]) => Promise<StageTypes[S]["provider"]>;
  /** Of STT that transcribes recordings: the same for its batch adapter. */
  readonly createBatch?: S extends "stt" ? (settings: Settings, deps: SttDeps) => Promise<BatchStt> : never;
}

/** A provider whose settings have a type that only the provider itself knows. */
export interface ProviderDescriptor<S extends Stage, Settings extends object = object> extends ProviderFacts<S> {
  readonly variables: Variables;
  /** Reads its settings. */
  configure(read: DeclaredReader): ConfiguredProvider<S, Settings>;
}

/** A provider with its settings. Two with equal settings are equal. */
export interface ConfiguredProvider<S extends Stage, Settings extends object = object> {
  readonly settings: Settings;
  /** What is wrong with the settings, a sentence each. */
  problems(): readonly string[];
  /** Of STT: whether it transcribes `language`, a code as in `GET /languages`. */
  servesLanguage(language: string): boolean;
  /**
   * Whose account pays for it: the id under which an account has an API key of its own for it. Undefined for a provider
   * without API keys.
   */
  readonly credentialOf: string | undefined;
  /** The same provider with another API key. It must have a `credentialOf`. */
  withApiKey(apiKey: string): ConfiguredProvider<S, Settings>;
  /** Creates the bare adapter: without deadlines, retries, fallback, metering and limits. There must be no problems. */
  create(deps: StageTypes[S]["deps"]): Promise<StageTypes[S]["provider"]>;
  /** Of STT: creates the bare batch adapter. Undefined where the provider transcribes no recordings. */
  createBatch(deps: SttDeps): Promise<BatchStt> | undefined;
}

/** Declares a provider. The types of its variables' names and of its settings follow from the description. */
export const defineProvider = <S extends Stage, Name extends string, Settings extends object>(
  description: ProviderDescription<S, Name, Settings>,
): ProviderDescriptor<S, Settings> => ({
  ...description,
  configure: (read) => new Configured(description, description.readSettings(read)),
});

class Configured<S extends Stage, Name extends string, Settings extends object>
  implements ConfiguredProvider<S, Settings>
{
  readonly settings: Settings;
  readonly #description: ProviderDescription<S, Name, Settings>;

  constructor(description: ProviderDescription<S, Name, Settings>, settings: Settings) {
    this.#description = description;
    this.settings = settings;
  }

  problems(): readonly string[] {
    return this.#description.problems(this.settings);
  }

  servesLanguage(language: string): boolean {
    return this.#description.servesLanguage?.(this.settings, language) ?? true;
  }

  get credentialOf(): string | undefined {
    const { id, accountOf = id } = this.#description;
    return "apiKey" in this.settings ? accountOf : undefined;
  }

  withApiKey(apiKey: string): ConfiguredProvider<S, Settings> {
    assert.ok(this.credentialOf !== undefined, "a provider without API keys");
    return new Configured(this.#description, { ...this.settings, apiKey });
  }

  create(deps: StageTypes[S]["deps"]): Promise<StageTypes[S]["provider"]> {
    return this.#description.create(this.settings, deps);
  }

  createBatch(deps: SttDeps): Promise<BatchStt> | undefined {
    return this.#description.createBatch?.(this.settings, deps);
  }
}
