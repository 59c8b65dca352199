import type { RetentionRules } from "../core/retention.ts";
import { type BucketConfig, readBucket } from "./bucket.ts";
import { readDatabaseUrl } from "./database-url.ts";
import { API_HOST_DEFAULT, API_PORT_DEFAULT, localUrlOf, readApiUrls, serviceUrlOf } from "./network/addresses.ts";
import { readRetention } from "./retention.ts";
import { VariableReader } from "./variables/reader.ts";
import { SERVICE_VARIABLES } from "./variables/service.ts";

// What other programs than the service read of their environment: command-line tools, and processes that start others.

type Environment = Readonly<Record<string, string | undefined>>;

/** The retention rules, for command-line tools. All problems are reported together in one error. */
export function readRetentionRules(env: Environment = process.env): RetentionRules {
  const problems: string[] = [];
  const rules = readRetention(env.RETENTION?.trim() ?? "", problems);
  if (problems.length > 0) throw new Error(`bad configuration:\n  ${problems.join("\n  ")}`);
  return rules;
}

/** The bucket, for command-line tools; undefined where none is configured. All problems are reported together in one error. */
export function readBucketConfig(env: Environment = process.env): BucketConfig | undefined {
  const problems: string[] = [];
  const bucket = readBucket(new VariableReader(env, problems), problems);
  if (problems.length > 0) throw new Error(`bad configuration:\n  ${problems.join("\n  ")}`);
  return bucket;
}

/** Variables of the dynamic linker, without which a child process may not start. None of them is secret. */
const LOADER_VARIABLES: readonly string[] = ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"];

/** The part of the environment for a child process that must have no secrets. */
export function readLoaderEnvironment(env: Environment = process.env): Record<string, string> {
  const given = LOADER_VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return Object.fromEntries(given);
}

/** The folders in which programs are looked up, as the system writes them. */
export const readSearchPath = (env: Environment = process.env): string => env.PATH ?? "";

/**
 * This process's environment without what only the control process uses: the key that opens what is sealed, the bucket, the collector's
 * headers, the operator's token, and what makes this service a node of a cluster.
 */
export function readWorkerEnvironment(env: Environment = process.env): Readonly<Record<string, string | undefined>> {
  const {
    SECRETS_KEY: _,
    OTEL_EXPORTER_OTLP_HEADERS: __,
    NODE_NAME: ___,
    NODE_MEDIA_URL: ____,
    NODE_RELAY_URL: _____,
    OPERATOR_TOKEN: ______,
    ...rest
  } = env;
  return withoutBucket(rest);
}

/** This process's environment for the transcriber, which has the API keys of providers and neither stores nor what is sealed there. */
export function readTranscriberEnvironment(
  env: Environment = process.env,
): Readonly<Record<string, string | undefined>> {
  const { DATABASE_URL: _, ...rest } = readWorkerEnvironment(env);
  return rest;
}

function withoutBucket({
  BUCKET_URL: _,
  BUCKET_ACCESS_KEY_ID: __,
  BUCKET_SECRET_ACCESS_KEY: ___,
  ...rest
}: Environment): Environment {
  return rest;
}

/** SECRETS_KEY, for command-line tools; undefined for the key file. */
export const readSecretsKey = (env: Environment = process.env): string | undefined =>
  env.SECRETS_KEY?.trim() || undefined;

/** MEDIA_KEY, the key of one encrypted journal; undefined where it is not set. */
export const readMediaKey = (env: Environment = process.env): string | undefined => env.MEDIA_KEY?.trim() || undefined;

/** The data directory. */
export const readDataDir = (env: Environment = process.env): string =>
  env.DATA_DIR?.trim() || SERVICE_VARIABLES.DATA_DIR.default;

/** Where a service with this environment has its data, for command-line tools. Throws when DATABASE_URL is wrong. */
export function readStorePlace(env: Environment = process.env): { dataDir: string; databaseUrl: string | undefined } {
  const problems: string[] = [];
  const databaseUrl = readDatabaseUrl(env, problems);
  if (problems.length > 0) throw new Error(`bad configuration:\n  ${problems.join("\n  ")}`);
  return { dataDir: readDataDir(env), databaseUrl };
}

/**
 * The address and the API key with which command-line tools call a service, undefined unless set; and the address of the API of a
 * service on this machine that runs with this environment.
 */
export const readServiceAccess = (
  env: Environment = process.env,
): { apiUrl: string | undefined; apiKey: string | undefined; localUrl: string } => ({
  apiUrl: env.TRUNKLINE_URL?.trim() || undefined,
  apiKey: env.TRUNKLINE_API_KEY?.trim() || undefined,
  localUrl: localUrlOf(env.API_HOST?.trim() || API_HOST_DEFAULT, env.API_PORT?.trim() || API_PORT_DEFAULT),
});

/**
 * The address at which people reach a service with this environment, without a slash at its end: the first of PUBLIC_API_URL, or
 * that of this machine. Throws when PUBLIC_API_URL is wrong.
 */
export function readServiceUrl(env: Environment = process.env): string {
  const problems: string[] = [];
  const urls = readApiUrls(env.PUBLIC_API_URL?.trim() ?? "", problems);
  if (problems.length > 0) throw new Error(`bad configuration:\n  ${problems.join("\n  ")}`);
  return serviceUrlOf(urls) ?? readServiceAccess(env).localUrl;
}
