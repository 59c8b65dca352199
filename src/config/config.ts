import type { CarrierName, CarrierSecrets, OutboundCodecs } from "../carriers/list.ts";
import type { Prices } from "../core/billing/prices.ts";
import type { SpendSettings } from "../core/billing/spend.ts";
import { MODEL_NAMES, type ModelName } from "../core/calls/spec.ts";
import type { EmbeddingsSettings } from "../core/knowledge/embeddings-settings.ts";
import { BYTES_PER_MB } from "../core/limits/storage/storage.ts";
import type { LogLevel } from "../core/log/logger.ts";
import type { PhraseOverrides } from "../core/phrases/phrases.ts";
import type { RetentionRules } from "../core/retention.ts";
import { TOOL_SECRET_PREFIX, type ToolSecrets } from "../core/tools/secrets.ts";
import type { TraceSettings } from "../core/traces/trace-settings.ts";
import type { CertificateFiles } from "../gateway/server/certificate.ts";
import type { MediaServerSetting } from "../gateway/server/choice.ts";
import type { LivenessOptions } from "../gateway/transport/liveness.ts";
import { readContextSizes } from "../speech/llm/context-sizes.ts";
import { LLM_REGISTRY } from "../speech/llm/registry.ts";
import {
  FOREIGN_VARIABLES,
  PROVIDER_NAMES,
  readProviderSettings,
  type SpeechConfig,
  speechConfigProblems,
} from "../speech/settings.ts";
import { type BucketConfig, readBucket } from "./bucket.ts";
import { readCarrierApiUrls, readCarrierSecrets, readOutboundCodecs } from "./carriers.ts";
import { type UnknownVariable, findUnknownVariables as unknownAmong } from "./checks/unknown-variables.ts";
import { type ClusterSettings, readCluster } from "./cluster.ts";
import { readDatabaseUrl } from "./database-url.ts";
import { readDataDir, readServiceAccess } from "./environment.ts";
import { isAddress, isWildcard, readApiUrls, redactedAddress } from "./network/addresses.ts";
import { readLiveness, readMediaTls } from "./network/media-port.ts";
import { readOperatorToken } from "./network/operator-token.ts";
import { readOrigins } from "./network/origins.ts";
import { readTrustedProxies } from "./network/proxies.ts";
import { readWebrtc, type WebrtcSettings } from "./network/webrtc.ts";
import { readRetention } from "./retention.ts";
import { readEmbeddings } from "./speech/embeddings.ts";
import { readPhrasesFile } from "./speech/phrases.ts";
import { readPrices } from "./speech/prices.ts";
import { readStreamsMax } from "./speech/provider-streams.ts";
import { readSpendSettings } from "./spend.ts";
import { readToolSecrets } from "./tool-secrets.ts";
import { readTraces } from "./traces.ts";
import { NETWORK_VARIABLES } from "./variables/network.ts";
import { PROVIDER_VARIABLES } from "./variables/providers.ts";
import { VariableReader } from "./variables/reader.ts";
import { SERVICE_VARIABLES } from "./variables/service.ts";
import { readWorkers, type WorkerSettings } from "./workers.ts";

/** Everything an operator can set. The files of variables/ declare each variable with its default and its meaning. */
export interface Config extends SpeechConfig, WorkerSettings {
  /** NODE_ENV=production: features that are only for trials are off. */
  isProduction: boolean;
  apiHost: string;
  /** 0 takes any free port. */
  apiPort: number;
  mediaHost: string;
  /** 0 takes any free port. */
  mediaPort: number;
  /** The media gateway's own certificate; undefined when it does not use TLS. */
  mediaTls: CertificateFiles | undefined;
  /** Calls with connectionType `webrtc`; undefined where they are not configured. */
  webrtc: WebrtcSettings | undefined;
  /** The WebSocket library of the media port. */
  mediaServer: MediaServerSetting;
  /** The public addresses of the control API, each with its base path, the primary first; empty unless set. */
  publicApiUrls: readonly string[];
  /** The origins whose pages may read responses of the API and refusals of the media port; empty unless set. */
  corsOrigins: readonly string[];
  /** The proxies whose word about the address of a client is believed: addresses and ranges; empty unless set. */
  trustedProxies: readonly string[];
  metricsHost: string;
  /** 0 takes any free port; undefined when no metrics are served. */
  metricsPort: number | undefined;
  /** Undefined where no request may drain the service. */
  operatorToken: string | undefined;
  /** The beginning of `websocketUrl`; undefined for the media port on this machine. */
  publicMediaUrl: string | undefined;
  dataDir: string;
  /** The Postgres database; undefined for SQLite in `dataDir`. Holds a password. */
  databaseUrl: string | undefined;
  /** This node of a cluster; undefined for a service that is alone on its database. */
  cluster: ClusterSettings | undefined;
  /** The bucket for journals and recordings; undefined where they are in `dataDir` alone. Holds a secret. */
  bucket: BucketConfig | undefined;
  logLevel: LogLevel;
  tokenTtlS: number;
  /** When the peer of a stream is pinged, and when its connection counts as lost. */
  liveness: LivenessOptions;
  callsPerWorker: number;
  /** How many calls one API key may have at once, created or active; undefined for no limit but the capacity. */
  callsPerApiKey: number | undefined;
  /** How many requests to the API one API key, and one account, may send within a minute. */
  requestLimits: { perApiKey: number; perAccount: number };
  /** New calls are refused while a disk of DATA_DIR has less free space than this; 0 turns the check off. */
  diskFreeMinBytes: number;
  /** The most bytes of a file that is uploaded or fetched to be transcribed. */
  transcriptionBytesMax: number;
  /** The most bytes of a document of a corpus. */
  documentBytesMax: number;
  /** How long a call goes on without words, DTMF or typed text of the caller. */
  maxWordlessS: number;
  /** How long live calls may go on after SIGTERM. */
  drainMs: number;
  /** The bound of a prompt without the system prompt and the tools, in estimated tokens. */
  historyTokensMax: number;
  /** The endpoint that makes vectors of texts; undefined where words alone find passages. */
  embeddings: EmbeddingsSettings | undefined;
  /** The service phrases of the operator's PHRASES_FILE. */
  phrases: PhraseOverrides;
  /** The prices of providers; undefined unless set. */
  prices: Prices | undefined;
  /** After how many days parts of ended calls are deleted. */
  retention: RetentionRules;
  /** The spend limits of a call and of an account. */
  spend: SpendSettings;
  /** What detects the caller's speech. */
  vad: VadSetting;
  /** Whether replies are generated preemptively: before the end of the turn is certain. */
  preemptiveReplies: boolean;
  /** The secrets with which streams of each carrier must be signed. */
  carrierSecrets: CarrierSecrets;
  /** The addresses of the carriers' APIs, without slashes at their ends. */
  carrierApiUrls: Readonly<Record<CarrierName, string>>;
  /** The codecs of audio to carriers; they must match those with which the streams are ordered. */
  outboundCodecs: OutboundCodecs;
  /** The secrets for headers of HTTP tools, by name, with the accounts that may send them and the hosts that may receive them. */
  toolSecrets: ToolSecrets;
  /** Whether HTTP tools may call this machine; for tests and trials. */
  toolsAllowLoopback: boolean;
  /** The keys that seal secrets in the database; undefined for the file in `dataDir`. */
  secretsKey: string | undefined;
  /** Journals and recordings of new calls are encrypted. */
  encryptMedia: boolean;
  /** The FFmpeg program, by name or path; a name is looked up in `readSearchPath`. */
  ffmpeg: string;
  /** Whether webhooks may send to this machine; for tests and trials. */
  webhooksAllowLoopback: boolean;
  /** Where traces of calls are sent; undefined where they are not. Holds secrets. */
  traces: TraceSettings | undefined;
}

/** The settings of VAD. */
export type VadSetting = "silero" | "fvad";

type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS: readonly LogLevel[] = SERVICE_VARIABLES.LOG_LEVEL.oneOf;
const MEDIA_SERVER_SETTINGS: readonly MediaServerSetting[] = NETWORK_VARIABLES.MEDIA_SERVER.oneOf;

const VAD_SETTINGS: readonly VadSetting[] = PROVIDER_VARIABLES.VAD.oneOf;

const PRODUCTION = "production";
/** The value of METRICS_PORT that turns it off. */
const OFF = "off";

const readModels = (text: (name: string) => string): Record<ModelName, string> =>
  Object.fromEntries(MODEL_NAMES.map((name) => [name, text(name.toUpperCase())])) as Record<ModelName, string>;

/**
 * Reads the whole configuration from `env`. All problems are reported together in one error. Only this file and environment.ts
 * read process.env. With `checksFiles` false the files that variables name are not read, so that a process that does not use them
 * cannot fail on them.
 */
export function readConfig(
  env: Environment = process.env,
  { checksFiles = true }: { checksFiles?: boolean } = {},
): Config {
  const problems: string[] = [];
  const reader = new VariableReader(env, problems);
  const { text, integer } = reader;
  const logLevel = reader.word("LOG_LEVEL", LOG_LEVELS);
  const publicMediaUrl = text("PUBLIC_MEDIA_URL", "").replace(/\/+$/, "");
  if (publicMediaUrl !== "" && !isAddress(publicMediaUrl, ["ws:", "wss:"])) {
    problems.push(
      `PUBLIC_MEDIA_URL must be a ws:// or wss:// address without a query or a password, not ${redactedAddress(publicMediaUrl)}`,
    );
  }
  const mediaTls = readMediaTls(env, problems, checksFiles);
  const publicApiUrls = readApiUrls(text("PUBLIC_API_URL", ""), problems);
  const mediaHost = text("MEDIA_HOST");
  const mediaPort = integer("MEDIA_PORT");
  if (publicMediaUrl === "" && isWildcard(mediaHost)) {
    problems.push(`PUBLIC_MEDIA_URL must be set together with MEDIA_HOST=${mediaHost}: callers connect to it`);
  }
  const isProduction = env.NODE_ENV === PRODUCTION;
  const webrtc = readWebrtc(reader, { mediaHost, mediaPort }, problems);
  const config: Config = {
    isProduction,
    apiHost: text("API_HOST"),
    apiPort: integer("API_PORT"),
    mediaHost,
    mediaPort,
    mediaTls,
    webrtc,
    mediaServer: reader.word("MEDIA_SERVER", MEDIA_SERVER_SETTINGS),
    publicApiUrls,
    corsOrigins: readOrigins("CORS_ORIGINS", text("CORS_ORIGINS", ""), problems),
    trustedProxies: readTrustedProxies(text("TRUSTED_PROXIES", ""), problems),
    metricsHost: text("METRICS_HOST"),
    metricsPort: text("METRICS_PORT", "") === OFF ? undefined : integer("METRICS_PORT"),
    operatorToken: readOperatorToken(text("OPERATOR_TOKEN", ""), text("METRICS_PORT", "") !== OFF, problems),
    publicMediaUrl: publicMediaUrl === "" ? undefined : publicMediaUrl,
    dataDir: readDataDir(env),
    ffmpeg: text("FFMPEG"),
    ...readSharing(env, reader, problems),
    logLevel,
    tokenTtlS: integer("TOKEN_TTL_S"),
    liveness: readLiveness(integer, text("MEDIA_TIMEOUT_S", "") !== "", problems),
    ...readWorkers(reader, webrtc?.workers ?? 0),
    callsPerWorker: integer("CALLS_PER_WORKER"),
    callsPerApiKey: text("CALLS_PER_API_KEY", "") === "" ? undefined : integer("CALLS_PER_API_KEY"),
    diskFreeMinBytes: integer("DISK_FREE_MIN_MB") * BYTES_PER_MB,
    transcriptionBytesMax: integer("TRANSCRIPTION_BYTES_MAX"),
    documentBytesMax: integer("DOCUMENT_BYTES_MAX"),
    maxWordlessS: integer("MAX_WORDLESS_S"),
    drainMs: integer("DRAIN_MS"),
    stt: text("STT"),
    tts: text("TTS"),
    models: readModels(text),
    contextSizes: readContextSizes(text("CONTEXT_TOKENS", ""), LLM_REGISTRY.ids, problems),
    historyTokensMax: integer("HISTORY_TOKENS_MAX"),
    embeddings: readEmbeddings(reader, problems),
    phrases: readPhrases(text("PHRASES_FILE", ""), problems, checksFiles),
    providers: readProviderSettings(reader),
    ...readPolicies(reader, problems),
    vad: reader.word("VAD", VAD_SETTINGS),
    preemptiveReplies: reader.flag("PREEMPTIVE_REPLIES"),
    carrierSecrets: readCarrierSecrets(env, problems, publicMediaUrl !== ""),
    carrierApiUrls: readCarrierApiUrls(reader, problems),
    outboundCodecs: readOutboundCodecs(reader),
    toolSecrets: readToolSecrets(env, problems),
    toolsAllowLoopback: readAllowLoopback("TOOLS_ALLOW_LOOPBACK", reader, isProduction, problems),
    encryptMedia: reader.flag("ENCRYPT_MEDIA"),
    webhooksAllowLoopback: readAllowLoopback("WEBHOOKS_ALLOW_LOOPBACK", reader, isProduction, problems),
    traces: readTraces(reader, problems),
  };
  problems.push(...speechConfigProblems(config));
  if (problems.length > 0) throw new Error(`bad configuration:\n  ${problems.join("\n  ")}`);
  return config;
}

/** What a service shares with the other nodes of a cluster. */
function readSharing(env: Environment, reader: VariableReader, problems: string[]) {
  const databaseUrl = readDatabaseUrl(env, problems);
  const secretsKey = env.SECRETS_KEY?.trim() || undefined;
  const bucket = readBucket(reader, problems);
  const cluster = readCluster(reader, { databaseUrl, secretsKey, hasBucket: bucket !== undefined }, problems);
  return { databaseUrl, secretsKey, bucket, cluster };
}

/** Limits of requests, stream limits, prices, spend limits and retention. */
const readPolicies = (reader: VariableReader, problems: string[]) => ({
  requestLimits: {
    perApiKey: reader.integer("API_KEY_REQUESTS_PER_MINUTE"),
    perAccount: reader.integer("ACCOUNT_REQUESTS_PER_MINUTE"),
  },
  streamsMax: readStreamsMax(reader.text("PROVIDER_STREAMS_MAX", ""), problems),
  prices: readPrices(reader.text("PRICES", ""), PROVIDER_NAMES, problems),
  spend: readSpendSettings(reader),
  retention: readRetention(reader.text("RETENTION", ""), problems),
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
  return unknownAmong(given, [...known], {
    providers: PROVIDER_NAMES,
    llmProviders: LLM_REGISTRY.ids,
    foreignVariables: FOREIGN_VARIABLES,
  });
}

/** Reads a variable that allows requests to this machine, which is refused in production. */
function readAllowLoopback(
  name: "TOOLS_ALLOW_LOOPBACK" | "WEBHOOKS_ALLOW_LOOPBACK",
  reader: VariableReader,
  isProduction: boolean,
  problems: string[],
): boolean {
  const isAllowed = reader.flag(name);
  if (isAllowed && isProduction) {
    problems.push(`${name} must not be true together with NODE_ENV=production: it is for tests and trials`);
  }
  return isAllowed;
}

const readPhrases = (path: string, problems: string[], checksFiles: boolean): PhraseOverrides =>
  path === "" || !checksFiles ? {} : readPhrasesFile(path, problems);
