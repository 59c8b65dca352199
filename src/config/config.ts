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
import { PROVIDER_NAMES, speechConfigProblems } from "../speech/settings.ts";
import { readSttSettings, type SttSettings } from "../speech/stt/settings.ts";
import { readTtsSettings, type TtsSettings } from "../speech/tts/settings.ts";
import { readCarrierBCodec, readCarrierSecrets } from "./carriers.ts";
import { readPhrasesFile } from "./phrases.ts";
import { readSpendSettings } from "./spend.ts";
import { type UnknownVariable, findUnknownVariables as unknownAmong } from "./unknown-variables.ts";

/** Everything an operator can set. docs/configuration.md lists each variable with its default. */
export interface Config {
  /** NODE_ENV=production: features that are only for trials are off. */
  isProduction: boolean;
  /** Neither STT nor TTS is set, and this is not production: the reference providers are used. */
  isTrial: boolean;
  apiHost: string;
  /** 0 takes any free port. */
  apiPort: number;
  mediaHost: string;
  /** 0 takes any free port. */
  mediaPort: number;
  /** The media gateway's own certificate; undefined when it does not use TLS. */
  mediaTls: CertificateFiles | undefined;
  /** The WebSocket library of the media port. */
  mediaServer: MediaServerSetting;
  /** The public addresses of the control API, each with its base path, the primary first; empty unless set. */
  publicApiUrls: readonly string[];
  /** The origins whose pages may read responses of the API and refusals of the media port; empty unless set. */
  corsOrigins: readonly string[];
  metricsHost: string;
  /** 0 takes any free port; undefined when no metrics are served. */
  metricsPort: number | undefined;
  /** The beginning of `websocketUrl`; undefined for the media port on this machine. */
  publicMediaUrl: string | undefined;
  dataDir: string;
  logLevel: LogLevel;
  tokenTtlS: number;
  /** When the peer of a stream is pinged, and when its connection counts as lost. */
  liveness: LivenessOptions;
  /** How many media workers there are, each a process; they share the media port. */
  workers: number;
  callsPerWorker: number;
  /** How many calls one API key may have at once, created or active; undefined for no limit but the capacity. */
  callsPerApiKey: number | undefined;
  /** New calls are refused while a disk of DATA_DIR has less free space than this; 0 turns the check off. */
  diskFreeMinBytes: number;
  /** How long live calls may go on after SIGTERM. */
  drainMs: number;
  /** The STT providers, separated by commas: the first is primary, the others are fallbacks; undefined when none is configured. */
  stt: string | undefined;
  sttSettings: SttSettings;
  /** The TTS providers, separated by commas, the default first. */
  tts: string;
  ttsSettings: TtsSettings;
  /** Of each model: `reference`, or a provider and its model, such as `openai:gpt-4o-mini`; fallbacks follow after commas. */
  models: Readonly<Record<ModelName, string>>;
  llmSettings: LlmSettings;
  /** The context sizes that the operator sets, by `provider:model`. */
  contextSizes: ContextSizes;
  /** The bound of a prompt without the system prompt and the tools, in estimated tokens. */
  historyTokensMax: number;
  espeakProcesses: number;
  /** The service phrases of the operator's PHRASES_FILE. */
  phrases: PhraseOverrides;
  /** How many streams a provider may have at once, per stage and process, by provider name. */
  streamsMax: Readonly<Record<string, number>>;
  /** The prices of providers; undefined unless set. */
  prices: Prices | undefined;
  /** After how many days parts of ended calls are deleted. */
  retention: RetentionRules;
  /** The spend limits of a call and of an account. */
  spend: SpendSettings;
  /** Whether replies are generated preemptively: before the end of the turn is certain. */
  preemptiveReplies: boolean;
  /** The secrets with which streams of each carrier must be signed. */
  carrierSecrets: CarrierSecrets;
  /** The codec of audio to carrier_b; it must match the `stream_bidirectional_codec` of the carrier. */
  carrierBOutboundCodec: G711Codec;
  /** The secrets for headers of HTTP tools, by name, with the accounts that may send them and the hosts that may receive them. */
  toolSecrets: ToolSecrets;
  /** Whether HTTP tools may call this machine; for tests and trials. */
  toolsAllowLoopback: boolean;
}

type ReadInteger = (key: string, fallback: number, min: number, max: number) => number;
type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

const PRODUCTION = "production";
/** The STT and TTS for trials: this STT understands only the speech of this TTS. */
const REFERENCE = "reference";

const API_HOST_DEFAULT = "127.0.0.1";
const API_PORT_DEFAULT = 8080;

/** The base path of the control API. */
const API_PATH = "/api/v1";

/** The value of METRICS_PORT and PREEMPTIVE_REPLIES that turns them off. */
const OFF = "off";

/** Hosts that a server can listen on and a client cannot connect to, as a URL spells them. */
const WILDCARD_HOSTS: readonly string[] = ["0.0.0.0", "[::]"];

/**
 * Reads the whole configuration from `env`. All problems are reported together in one error. Only this file reads process.env.
 * With `checksFiles` false the files that variables name are not read, so that a process that does not use them cannot fail on
 * them.
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
    problems.push(`PUBLIC_MEDIA_URL must be set together with MEDIA_HOST=${mediaHost}: callers connect to it`);
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

/** Stream limits, prices, spend limits and retention. */
const readPolicies = (text: (key: string, fallback: string) => string, problems: string[]) => ({
  streamsMax: readStreamsMax(text("PROVIDER_STREAMS_MAX", ""), problems),
  prices: readPrices(text("PRICES", ""), PROVIDER_NAMES, problems),
  spend: readSpendSettings(text, problems),
  retention: readRetention(text("RETENTION", ""), problems),
});

/**
 * The variables of `env` that look like those of the service and that it does not read. The known names are recorded while the
 * readers read an empty environment and this one.
 */
export function unknownVariables(env: Environment = process.env): UnknownVariable[] {
  const known = new Set<string>();
  const read = (source: Environment): void => {
    const recorded = new Proxy(source, {
      get(target, name: string) {
        known.add(name);
        return target[name];
      },
      // Listing all names reads none of them.
      ownKeys: () => [],
    });
    readServiceAccess(recorded);
    try {
      readConfig(recorded, { checksFiles: false });
    } catch {
      // Problems are reported when the configuration is read for use.
    }
  };
  read({});
  read(env);
  const given = Object.keys(env).filter((name) => !name.startsWith(TOOL_SECRET_PREFIX));
  return unknownAmong(given, [...known], { providers: PROVIDER_NAMES, llmProviders: LLM_PROVIDERS });
}

/** The retention rules, for command-line tools. All problems are reported together in one error. */
export function readRetentionRules(env: Environment = process.env): RetentionRules {
  const problems: string[] = [];
  const rules = readRetention(env.RETENTION?.trim() ?? "", problems);
  if (problems.length > 0) throw new Error(`bad configuration:\n  ${problems.join("\n  ")}`);
  return rules;
}

/** Variables of the dynamic linker, without which a child process may not start. None of them is secret. */
const LOADER_VARIABLES: readonly string[] = ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"];

/** The part of the environment for a child process that must have no secrets. */
export function readLoaderEnvironment(env: Environment = process.env): Record<string, string> {
  const given = LOADER_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return Object.fromEntries(given);
}

/** The data directory. */
export const readDataDir = (env: Environment = process.env): string => env.DATA_DIR?.trim() || "data";

/**
 * The address and the API key with which command-line tools call a service, undefined unless set; and the address of the API of a
 * service on this machine that runs with this environment.
 */
export const readServiceAccess = (
  env: Environment = process.env,
): { apiUrl: string | undefined; apiKey: string | undefined; localUrl: string } => ({
  apiUrl: env.TRUNKLINE_URL?.trim() || undefined,
  apiKey: env.TRUNKLINE_API_KEY?.trim() || undefined,
  localUrl: localUrlOf(env.API_HOST?.trim() || API_HOST_DEFAULT, env.API_PORT?.trim() || String(API_PORT_DEFAULT)),
});

function localUrlOf(host: string, port: string): string {
  const reachable = isWildcard(host) ? API_HOST_DEFAULT : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
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
    problems.push(
      "TOOLS_ALLOW_LOOPBACK must not be true together with NODE_ENV=production: it is for tests and trials",
    );
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

/** Whether a path can be appended: the address has no query, no fragment and no password. */
const isAddress = (text: string, protocols: readonly string[]): boolean =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol) && /^\w+:\/\/[^?#@\\\s]+$/.test(text);

/** A bad address without its password and query, which may be secret. */
const redactedAddress = (address: string): string =>
  JSON.stringify(address.replace(/^(\w+:\/\/)?.*@/s, "$1…@").replace(/[?#].*$/s, "?…"));

/** Recognizes all spellings: `0` is 0.0.0.0, and `0::0` is `::`. */
function isWildcard(host: string): boolean {
  const url = `http://${host.includes(":") ? `[${host}]` : host}`;
  return URL.canParse(url) && WILDCARD_HOSTS.includes(new URL(url).hostname);
}
