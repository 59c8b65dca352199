import { MODEL_NAMES, type ModelName } from "./core/call-spec.ts";
import { CALLS_PER_WORKER_DEFAULT, TOKEN_TTL_S_DEFAULT, TOKEN_TTL_S_MAX, TOKEN_TTL_S_MIN } from "./core/limits.ts";
import type { LogLevel } from "./core/log.ts";
import { engineProblems } from "./speech/engines.ts";

/** Everything an operator can set. README.md lists each variable with its default. */
export interface Config {
  apiHost: string;
  /** 0 takes any free port. */
  apiPort: number;
  mediaHost: string;
  /** 0 takes any free port. */
  mediaPort: number;
  /** What `websocketUrl` begins with; undefined means the media port on this machine. */
  publicMediaUrl: string | undefined;
  dataDir: string;
  logLevel: LogLevel;
  tokenTtlS: number;
  callsPerWorker: number;
  /** How long live calls may go on after SIGTERM. */
  drainMs: number;
  /** The ear; undefined when none is configured. */
  stt: string | undefined;
  tts: string;
  models: Readonly<Record<ModelName, string>>;
  espeakProcesses: number;
}

const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Hosts that can be listened on and not connected to. */
const WILDCARD_HOSTS: readonly string[] = ["0.0.0.0", "::"];

/** Reads the whole configuration from `env`; throws one error that tells every problem. The only reader of process.env. */
export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const problems: string[] = [];
  const text = (key: string, fallback: string): string => {
    const value = env[key]?.trim();
    return value === undefined || value === "" ? fallback : value;
  };
  const integer = (key: string, fallback: number, min: number, max: number): number => {
    const given = text(key, String(fallback));
    const value = /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN;
    if (!(value >= min && value <= max)) {
      problems.push(`${key} must be a whole number from ${min} to ${max}, not ${JSON.stringify(given)}`);
    }
    return value;
  };
  const logLevel = LOG_LEVELS.find((level) => level === text("LOG_LEVEL", "info"));
  if (logLevel === undefined) {
    problems.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}, not ${JSON.stringify(env.LOG_LEVEL)}`);
  }
  const publicMediaUrl = text("PUBLIC_MEDIA_URL", "").replace(/\/+$/, "");
  if (publicMediaUrl !== "" && !isWebSocketUrl(publicMediaUrl)) {
    problems.push(
      `PUBLIC_MEDIA_URL must be a ws:// or wss:// address without a query, not ${JSON.stringify(publicMediaUrl)}`,
    );
  }
  const mediaHost = text("MEDIA_HOST", "127.0.0.1");
  if (publicMediaUrl === "" && WILDCARD_HOSTS.includes(mediaHost)) {
    problems.push(`PUBLIC_MEDIA_URL must be set beside MEDIA_HOST=${mediaHost}: it is what callers are sent to`);
  }
  const config: Config = {
    apiHost: text("API_HOST", "127.0.0.1"),
    apiPort: integer("API_PORT", 8080, 0, 65_535),
    mediaHost,
    mediaPort: integer("MEDIA_PORT", 8081, 0, 65_535),
    publicMediaUrl: publicMediaUrl === "" ? undefined : publicMediaUrl,
    dataDir: readDataDir(env),
    logLevel: logLevel ?? "info",
    tokenTtlS: integer("TOKEN_TTL_S", TOKEN_TTL_S_DEFAULT, TOKEN_TTL_S_MIN, TOKEN_TTL_S_MAX),
    callsPerWorker: integer("CALLS_PER_WORKER", CALLS_PER_WORKER_DEFAULT, 1, 100_000),
    drainMs: integer("DRAIN_MS", 30_000, 0, 7_200_000),
    stt: text("STT", "") || undefined,
    tts: text("TTS", "espeak"),
    models: Object.fromEntries(MODEL_NAMES.map((name) => [name, text(name.toUpperCase(), "reference")])) as Record<
      ModelName,
      string
    >,
    espeakProcesses: integer("ESPEAK_PROCESSES", 2, 1, 16),
  };
  problems.push(...engineProblems(config));
  if (problems.length > 0) throw new Error(`bad configuration:\n  ${problems.join("\n  ")}`);
  return config;
}

/** Where the data is: all that a tool beside the service needs to know. */
export const readDataDir = (env: Readonly<Record<string, string | undefined>> = process.env): string =>
  env.DATA_DIR?.trim() || "data";

function isWebSocketUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (url.protocol === "ws:" || url.protocol === "wss:") && url.search === "" && url.hash === "";
}
