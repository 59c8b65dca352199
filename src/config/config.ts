import { availableParallelism } from "node:os";
import { type Prices, readPrices } from "../core/billing/prices.ts";
import type { SpendSettings } from "../core/billing/spend.ts";
import { MODEL_NAMES, type ModelName } from "../core/calls/spec.ts";
import { readOrigins } from "../core/cors.ts";
import {
  CALLS_PER_WORKER_DEFAULT,
  TOKEN_TTL_S_DEFAULT,
  TOKEN_TTL_S_MAX,
  TOKEN_TTL_S_MIN,
} from "../core/limits/admission.ts";
import {
  MEDIA_TIMEOUT_S_MAX,
  MEDIA_TIMEOUT_S_MIN,
  PING_INTERVAL_S_DEFAULT,
  PING_INTERVAL_S_MAX,
  PING_TIMEOUT_S_DEFAULT,
  PING_TIMEOUT_S_MAX,
} from "../core/limits/connections.ts";
import { HISTORY_TOKENS_DEFAULT, HISTORY_TOKENS_LIMIT, HISTORY_TOKENS_MIN } from "../core/limits/llm.ts";
import { WORKERS_MAX } from "../core/limits/processes.ts";
import { PROVIDER_STREAMS_MAX } from "../core/limits/providers.ts";
import { BYTES_PER_MB, DISK_FREE_MB_MIN_DEFAULT, DISK_FREE_MB_MIN_MAX } from "../core/limits/storage.ts";
import type { LogLevel } from "../core/log/logger.ts";
import type { PhraseOverrides } from "../core/phrases/phrases.ts";
import { type RetentionRules, readRetention } from "../core/retention.ts";
import { readToolSecrets, TOOL_SECRET_PREFIX, type ToolSecrets } from "../core/tools/secrets.ts";
import type { LivenessOptions } from "../gateway/leg/liveness.ts";
import { type CertificateFiles, certificateProblems } from "../gateway/server/certificate.ts";
import type { MediaServerSetting } from "../gateway/server/choice.ts";
import { MEDIA_SERVERS } from "../gateway/server/media-server.ts";
import type { CarrierSecrets } from "../gateway/server/signatures.ts";
import type { G711Codec } from "../media/g711.ts";
import { type ContextSizes, readContextSizes } from "../speech/llm/context-sizes.ts";
import { LLM_PROVIDERS, type LlmSettings, readLlmSettings } from "../speech/llm/settings.ts";
import { PROVIDER_NAMES, speechConfigProblems } from "../speech/registry.ts";
import { readSttSettings, type SttSettings } from "../speech/stt/settings.ts";
import { readTtsSettings, type TtsSettings } from "../speech/tts/settings.ts";
import { readCarrierBCodec, readCarrierSecrets } from "./carriers.ts";
import { readPhrasesFile } from "./phrases.ts";
import { readSpendSettings } from "./spend.ts";
import { type UnknownVariable, findUnknownVariables as unknownAmong } from "./unknown-variables.ts";

/** Everything an operator can set. docs/configuration.md lists each variable with its default. */
export interface Config {
  /** NODE_ENV=production: nothing is done that is for trials alone. */
  isProduction: boolean;
  /** Neither STT nor TTS is set, and this is not production: the reference pair serves. */
  isTrial: boolean;
  apiHost: string;
  /** 0 takes any free port. */
  apiPort: number;
  mediaHost: string;
  /** 0 takes any free port. */
  mediaPort: number;
  /** The media gateway's own certificate; undefined when it speaks no TLS. */
  mediaTls: CertificateFiles | undefined;
  /** The library that serves the media port. */
  mediaServer: MediaServerSetting;
  /** The addresses under which the control API is reached, each with its base path, the primary first; none when not told. */
  publicApiUrls: readonly string[];
  /** The origins whose pages may read the answers of the API and the refusals of the media port; none unless set. */
  corsOrigins: readonly string[];
  metricsHost: string;
  /** 0 takes any free port; undefined where no metrics are served. */
  metricsPort: number | undefined;
  /** What `websocketUrl` begins with; undefined means the media port on this machine. */
  publicMediaUrl: string | undefined;
  dataDir: string;
  logLevel: LogLevel;
  tokenTtlS: number;
  /** When the other side of a stream is pinged, and when it is lost. */
  liveness: LivenessOptions;
  /** Media workers, each a process of its own on the one media port. */
  workers: number;
  callsPerWorker: number;
  /** How many calls one API key may have at once, created or active; undefined for as many as there are places. */
  callsPerApiKey: number | undefined;
  /** With less free space than this on the disks of DATA_DIR no new calls are taken; 0 for never. */
  diskFreeMinBytes: number;
  /** How long live calls may go on after SIGTERM. */
  drainMs: number;
  /** The ears, separated by commas, each for when the one before it fails; undefined when none is configured. */
  stt: string | undefined;
  sttSettings: SttSettings;
  /** The voices, separated by commas, the default first. */
  tts: string;
  ttsSettings: TtsSettings;
  /** Each `reference`, or a provider and its model, `openai:gpt-4o-mini`; or several of them, separated by commas. */
  models: Readonly<Record<ModelName, string>>;
  llmSettings: LlmSettings;
  /** The contexts of models, by `provider:model`, where the operator names them. */
  contextSizes: ContextSizes;
  /** What a prompt may hold beside the system prompt and the tools, estimated tokens. */
  historyTokensMax: number;
  espeakProcesses: number;
  /** What the operator's own file has of the phrases that the service says in its own name. */
  phrases: PhraseOverrides;
  /** How many streams a provider may have at once, of each kind and in each process, by its name. */
  streamsMax: Readonly<Record<string, number>>;
  /** What providers charge; undefined where nobody told. */
  prices: Prices | undefined;
  /** When parts of ended calls are deleted. */
  retention: RetentionRules;
  /** What a call and an account may spend. */
  spend: SpendSettings;
  /** Whether the model is asked before it is certain that the caller is done. */
  preemptiveReplies: boolean;
  /** What streams of each carrier must be signed with. */
  carrierSecrets: CarrierSecrets;
  /** The codec of what carrier_b plays: what its `stream_bidirectional_codec` says. */
  carrierBOutboundCodec: G711Codec;
  /** What HTTP tools may put into their headers, by name, and who may send it where. */
  toolSecrets: ToolSecrets;
  /** HTTP tools may call this machine: for tests and trials. */
  toolsAllowLoopback: boolean;
}

type ReadInteger = (key: string, fallback: number, min: number, max: number) => number;
type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

const PRODUCTION = "production";
/** The pair of engines for trials: an STT that understands only what the TTS of the same name says. */
const REFERENCE = "reference";

const API_HOST_DEFAULT = "127.0.0.1";
const API_PORT_DEFAULT = 8080;

/** Where the control API stands under each of its addresses. */
const API_PATH = "/api/v1";

/** What METRICS_PORT says where no metrics are to be served, and PREEMPTIVE_REPLIES where there are to be none. */
const OFF = "off";

/** Hosts that can be listened on and not connected to, as a URL spells them. */
const WILDCARD_HOSTS: readonly string[] = ["0.0.0.0", "[::]"];

/**
 * Reads the whole configuration from `env`; throws one error that tells every problem. The only reader of process.env.
 * A process that does not use the files it names leaves them unread: what is wrong with them is no reason for it to fail.
 */
export function readConfig(
  env: Environment = process.env,
  { checksFiles = true }: { checksFiles?: boolean } = {},
): Config {
  const problems: string[] = [];
  const text = (key: string, fallback: string): string => {
    const value = env[key]?.trim();
    return value === undefined || value === "" ? fallback : value;
  };
  const integer = (key: string, fallback: number, min: number, max: number, orWord = ""): number => {
    const given = text(key, String(fallback));
    const value = /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN;
    if (!(value >= min && value <= max)) {
      problems.push(`${key} must be ${orWord}a whole number from ${min} to ${max}, not ${JSON.stringify(given)}`);
    }
    return value;
  };
  const logLevel = LOG_LEVELS.find((level) => level === text("LOG_LEVEL", "info"));
  if (logLevel === undefined) {
    problems.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}, not ${JSON.stringify(env.LOG_LEVEL)}`);
  }
  const publicMediaUrl = text("PUBLIC_MEDIA_URL", "").replace(/\/+$/, "");
  if (publicMediaUrl !== "" && !isAddress(publicMediaUrl, ["ws:", "wss:"])) {
    problems.push(
      `PUBLIC_MEDIA_URL must be a ws:// or wss:// address without a query or a password, not ${redactedAddress(publicMediaUrl)}`,
    );
  }
  const mediaTls = readMediaTls(env, problems, checksFiles);
  const publicApiUrls = readApiUrls(env, problems);
  const mediaHost = text("MEDIA_HOST", "127.0.0.1");
  if (publicMediaUrl === "" && isWildcard(mediaHost)) {
    problems.push(`PUBLIC_MEDIA_URL must be set beside MEDIA_HOST=${mediaHost}: it is what callers are sent to`);
  }
  const isProduction = env.NODE_ENV === PRODUCTION;
  const isTrial = !isProduction && text("STT", "") === "" && text("TTS", "") === "";
  const config: Config = {
    isProduction,
    isTrial,
    apiHost: text("API_HOST", API_HOST_DEFAULT),
    apiPort: integer("API_PORT", API_PORT_DEFAULT, 0, 65_535),
    mediaHost,
    mediaPort: integer("MEDIA_PORT", 8081, 0, 65_535),
    mediaTls,
    mediaServer: readMediaServer(text("MEDIA_SERVER", "auto"), problems),
    publicApiUrls,
    corsOrigins: readOrigins("CORS_ORIGINS", text("CORS_ORIGINS", ""), problems),
    metricsHost: text("METRICS_HOST", "127.0.0.1"),
    metricsPort: text("METRICS_PORT", "") === OFF ? undefined : integer("METRICS_PORT", 9464, 0, 65_535, `${OFF} or `),
    publicMediaUrl: publicMediaUrl === "" ? undefined : publicMediaUrl,
    dataDir: readDataDir(env),
    logLevel: logLevel ?? "info",
    tokenTtlS: integer("TOKEN_TTL_S", TOKEN_TTL_S_DEFAULT, TOKEN_TTL_S_MIN, TOKEN_TTL_S_MAX),
    liveness: readLiveness(integer, text("MEDIA_TIMEOUT_S", "") !== "", problems),
    workers: integer("WORKERS", Math.max(1, availableParallelism() - 1), 1, WORKERS_MAX),
    callsPerWorker: integer("CALLS_PER_WORKER", CALLS_PER_WORKER_DEFAULT, 1, 100_000),
    callsPerApiKey: text("CALLS_PER_API_KEY", "") === "" ? undefined : integer("CALLS_PER_API_KEY", 1, 1, 100_000),
    diskFreeMinBytes: integer("DISK_FREE_MIN_MB", DISK_FREE_MB_MIN_DEFAULT, 0, DISK_FREE_MB_MIN_MAX) * BYTES_PER_MB,
    drainMs: integer("DRAIN_MS", 30_000, 0, 7_200_000),
    stt: isTrial ? REFERENCE : text("STT", "") || undefined,
    sttSettings: readSttSettings(text),
    tts: isTrial ? REFERENCE : text("TTS", "espeak"),
    ttsSettings: readTtsSettings(text),
    models: Object.fromEntries(MODEL_NAMES.map((name) => [name, text(name.toUpperCase(), "reference")])) as Record<
      ModelName,
      string
    >,
    llmSettings: readLlmSettings(text),
    contextSizes: readContextSizes(text("CONTEXT_TOKENS", ""), LLM_PROVIDERS, problems),
    historyTokensMax: integer("HISTORY_TOKENS_MAX", HISTORY_TOKENS_DEFAULT, HISTORY_TOKENS_MIN, HISTORY_TOKENS_LIMIT),
    phrases: readPhrases(text("PHRASES_FILE", ""), problems, checksFiles),
    espeakProcesses: integer("ESPEAK_PROCESSES", 2, 1, 16),
    ...readPolicies(text, problems),
    preemptiveReplies: readPreemptiveReplies(env, problems),
    carrierSecrets: readCarrierSecrets(env, problems, publicMediaUrl !== ""),
    carrierBOutboundCodec: readCarrierBCodec(env, problems),
    toolSecrets: readToolSecrets(env, problems),
    toolsAllowLoopback: readToolsAllowLoopback(env, problems),
  };
  problems.push(...speechConfigProblems(config));
  if (problems.length > 0) throw new Error(`bad configuration:\n  ${problems.join("\n  ")}`);
  return config;
}

/** What may be spent, with whom and at which price, and how long what came of it is kept. */
const readPolicies = (text: (key: string, fallback: string) => string, problems: string[]) => ({
  streamsMax: readStreamsMax(text("PROVIDER_STREAMS_MAX", ""), problems),
  prices: readPrices(text("PRICES", ""), PROVIDER_NAMES, problems),
  spend: readSpendSettings(text, problems),
  retention: readRetention(text("RETENTION", ""), problems),
});

/**
 * The variables of `env` that look like ours and that the service does not read. The known names are recorded while the readers read an
 * empty environment and this one.
 */
export function unknownVariables(env: Environment = process.env): UnknownVariable[] {
  const known = new Set<string>();
  const read = (source: Environment): void => {
    const watched = new Proxy(source, {
      get(target, name: string) {
        known.add(name);
        return target[name];
      },
      // A reader that lists all names reads none of them by name.
      ownKeys: () => [],
    });
    readServiceAccess(watched);
    try {
      readConfig(watched, { checksFiles: false });
    } catch {
      // What is wrong with it is said where it is read for use.
    }
  };
  read({});
  read(env);
  const given = Object.keys(env).filter((name) => !name.startsWith(TOOL_SECRET_PREFIX));
  return unknownAmong(given, [...known], { providers: PROVIDER_NAMES, llmProviders: LLM_PROVIDERS });
}

/** What a tool beside the service deletes. Throws one error that names every problem. */
export function readRetentionRules(env: Environment = process.env): RetentionRules {
  const problems: string[] = [];
  const rules = readRetention(env.RETENTION?.trim() ?? "", problems);
  if (problems.length > 0) throw new Error(`bad configuration:\n  ${problems.join("\n  ")}`);
  return rules;
}

/** What the system's loader reads: without it a child of ours may not start where the service does. None of it is secret. */
const LOADER_VARIABLES: readonly string[] = ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"];

/** The part of the environment that a child without secrets is started with. */
export function readLoaderEnvironment(env: Environment = process.env): Record<string, string> {
  const given = LOADER_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return Object.fromEntries(given);
}

/** Where the data is: all that a tool beside the service needs to know. */
export const readDataDir = (env: Environment = process.env): string => env.DATA_DIR?.trim() || "data";

/**
 * Where a tool finds the service that it calls, and the key it shows there, undefined where neither was named; and where the API of a
 * service on this machine is, if one runs with this environment.
 */
export const readServiceAccess = (
  env: Environment = process.env,
): { apiUrl: string | undefined; apiKey: string | undefined; localUrl: string } => ({
  apiUrl: env.TRUNKLINE_URL?.trim() || undefined,
  apiKey: env.TRUNKLINE_API_KEY?.trim() || undefined,
  localUrl: localUrlOf(env.API_HOST?.trim() || API_HOST_DEFAULT, env.API_PORT?.trim() || String(API_PORT_DEFAULT)),
});

function localUrlOf(host: string, port: string): string {
  const reached = isWildcard(host) ? API_HOST_DEFAULT : host;
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`;
}

function readMediaTls(env: Environment, problems: string[], checksFiles: boolean): CertificateFiles | undefined {
  const certFile = env.MEDIA_TLS_CERT_FILE?.trim() ?? "";
  const keyFile = env.MEDIA_TLS_KEY_FILE?.trim() ?? "";
  if (certFile === "" && keyFile === "") return undefined;
  if (certFile === "" || keyFile === "") {
    problems.push("MEDIA_TLS_CERT_FILE and MEDIA_TLS_KEY_FILE must be set together, or neither of them");
    return undefined;
  }
  if (checksFiles) problems.push(...certificateProblems({ certFile, keyFile }));
  return { certFile, keyFile };
}

function readMediaServer(given: string, problems: string[]): MediaServerSetting {
  const settings: readonly MediaServerSetting[] = ["auto", ...MEDIA_SERVERS];
  const setting = settings.find((candidate) => candidate === given);
  if (setting === undefined) {
    problems.push(`MEDIA_SERVER must be one of ${settings.join(", ")}, not ${JSON.stringify(given)}`);
  }
  return setting ?? "auto";
}

function readLiveness(integer: ReadInteger, hasMediaTimeout: boolean, problems: string[]): LivenessOptions {
  const pingIntervalS = integer("PING_INTERVAL_S", PING_INTERVAL_S_DEFAULT, 1, PING_INTERVAL_S_MAX);
  const pingTimeoutS = integer("PING_TIMEOUT_S", PING_TIMEOUT_S_DEFAULT, 2, PING_TIMEOUT_S_MAX);
  if (pingTimeoutS <= pingIntervalS) {
    problems.push(`PING_TIMEOUT_S must be more than PING_INTERVAL_S, ${pingIntervalS}, not ${pingTimeoutS}`);
  }
  const mediaTimeoutMs = hasMediaTimeout
    ? 1_000 * integer("MEDIA_TIMEOUT_S", MEDIA_TIMEOUT_S_MIN, MEDIA_TIMEOUT_S_MIN, MEDIA_TIMEOUT_S_MAX)
    : undefined;
  return { pingIntervalMs: 1_000 * pingIntervalS, pingTimeoutMs: 1_000 * pingTimeoutS, mediaTimeoutMs };
}

const readPhrases = (path: string, problems: string[], checksFiles: boolean): PhraseOverrides =>
  path === "" || !checksFiles ? {} : readPhrasesFile(path, problems);

/** `elevenlabs:5, deepgram:50` */
function readStreamsMax(given: string, problems: string[]): Record<string, number> {
  const streamsMax: Record<string, number> = {};
  for (const part of given === "" ? [] : given.split(",")) {
    const [, name, count] = /^\s*([a-z]{1,32})\s*:\s*(\d{1,6})\s*$/.exec(part) ?? [];
    if (name === undefined || !(Number(count) >= 1 && Number(count) <= PROVIDER_STREAMS_MAX)) {
      const right = `a provider and a number from 1 to ${PROVIDER_STREAMS_MAX}, elevenlabs:5, or several, separated by commas`;
      problems.push(`PROVIDER_STREAMS_MAX must be ${right}, not ${JSON.stringify(part)}`);
    } else streamsMax[name] = Number(count);
  }
  return streamsMax;
}

function readPreemptiveReplies(env: Environment, problems: string[]): boolean {
  const given = env.PREEMPTIVE_REPLIES?.trim() || OFF;
  if (given !== "on" && given !== OFF) {
    problems.push(`PREEMPTIVE_REPLIES must be on or off, not ${JSON.stringify(given)}`);
  }
  return given === "on";
}

function readToolsAllowLoopback(env: Environment, problems: string[]): boolean {
  const given = env.TOOLS_ALLOW_LOOPBACK?.trim() || "false";
  if (given !== "true" && given !== "false") {
    problems.push(`TOOLS_ALLOW_LOOPBACK must be true or false, not ${JSON.stringify(given)}`);
  }
  if (given === "true" && env.NODE_ENV === PRODUCTION) {
    problems.push("TOOLS_ALLOW_LOOPBACK must not be true beside NODE_ENV=production: it is for tests and trials");
  }
  return given === "true";
}

function readApiUrls(env: Environment, problems: string[]): string[] {
  const given = env.PUBLIC_API_URL?.trim() ?? "";
  if (given === "") return [];
  const urls = given.split(",").map((url) => url.trim().replace(/\/+$/, ""));
  for (const url of urls.filter((url) => !isAddress(url, ["http:", "https:"]))) {
    problems.push(
      `PUBLIC_API_URL must be http:// or https:// addresses without a query or a password, not ${redactedAddress(url)}`,
    );
  }
  return urls.map((url) => (url.endsWith(API_PATH) ? url : `${url}${API_PATH}`));
}

/** Something can be put behind it: no query, no fragment, and nobody's password. */
const isAddress = (text: string, protocols: readonly string[]): boolean =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol) && /^\w+:\/\/[^?#@\\\s]+$/.test(text);

/** A bad address, quoted as far as it holds no secret: neither a password nor a query. */
const redactedAddress = (address: string): string =>
  JSON.stringify(address.replace(/^(\w+:\/\/)?.*@/s, "$1…@").replace(/[?#].*$/s, "?…"));

/** However it is written: `0` is 0.0.0.0, and `0::0` is `::`. */
function isWildcard(host: string): boolean {
  const url = `http://${host.includes(":") ? `[${host}]` : host}`;
  return URL.canParse(url) && WILDCARD_HOSTS.includes(new URL(url).hostname);
}
