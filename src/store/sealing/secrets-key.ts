import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemErrorCodeOf, TrunklineError } from "../../core/errors.ts";
import { syncToDisk } from "../../core/sync-to-disk.ts";
import { Keyring, SEALING_KEY_BYTES, type SealingKey, sealingKeyOf } from "./seal.ts";

const FILE_MODE = 0o600;
/** A file or variable may hold the current key and earlier ones, which still open what they sealed. */
const KEYS_MAX = 8;

/** The file in which a service without SECRETS_KEY has its keys, one a line, the current one first. */
export const secretsKeyPath = (dataDir: string): string => join(dataDir, "secrets-key");

export interface SecretsKeyOptions {
  dataDir: string;
  /** SECRETS_KEY: keys as base64, the current one first, separated by commas; undefined for the file. */
  fromEnvironment: string | undefined;
  /** The ids of the keys with which something in the database is sealed. */
  usedKeyIds: readonly string[];
}

/**
 * The keys of a service. Makes the file where there is neither a key nor anything sealed. Throws `bad_configuration`, in
 * one line, where a key is malformed, or one that the database needs is missing; nothing is written then.
 */
export function openSecretsKeys({ dataDir, fromEnvironment, usedKeyIds }: SecretsKeyOptions): Keyring {
  const path = secretsKeyPath(dataDir);
  const { keys, source } = configuredKeys(path, fromEnvironment);
  const missing = usedKeyIds.filter((id) => keys === undefined || !keys.some((key) => key.id === id));
  if (missing.length > 0) {
    throw badKey(
      `the database has secrets sealed with key ${missing.join(" and ")}, which ${source} does not have: ` +
        "restore that key, or replace what it sealed by npm run admin -- forget-secrets",
    );
  }
  return new Keyring(keys ?? [writeKeys(path, [randomBytes(SEALING_KEY_BYTES)])]);
}

/** The keys that there are; none where neither the variable nor the file has any. Throws as above, and writes nothing. */
export function existingSecretsKeys({
  dataDir,
  fromEnvironment,
}: Omit<SecretsKeyOptions, "usedKeyIds">): readonly SealingKey[] {
  return configuredKeys(secretsKeyPath(dataDir), fromEnvironment).keys ?? [];
}

function configuredKeys(
  path: string,
  fromEnvironment: string | undefined,
): { keys: [SealingKey, ...SealingKey[]] | undefined; source: string } {
  const source = fromEnvironment === undefined ? path : "SECRETS_KEY";
  const text = fromEnvironment ?? readIfThere(path);
  return { keys: text === undefined ? undefined : parseKeys(text, source), source };
}

/** Puts a new key before the existing ones of the file. A running service must be restarted to use it. Throws as above. */
export function rotateSecretsKey(dataDir: string): SealingKey {
  const path = secretsKeyPath(dataDir);
  const text = readIfThere(path);
  const existing = text === undefined ? [] : parseKeys(text, path);
  const kept = existing.map(({ bytes }) => bytes).slice(0, KEYS_MAX - 1);
  return writeKeys(path, [randomBytes(SEALING_KEY_BYTES), ...kept]);
}

function parseKeys(text: string, source: string): [SealingKey, ...SealingKey[]] {
  const texts = text.split(/[\s,]+/).filter((part) => part !== "");
  const keys = texts.map((part) => Buffer.from(part, "base64"));
  const [first, ...rest] = keys.map(sealingKeyOf);
  if (first === undefined || keys.length > KEYS_MAX || keys.some(({ length }) => length !== SEALING_KEY_BYTES)) {
    throw badKey(
      `${source} must hold 1 to ${KEYS_MAX} keys of ${SEALING_KEY_BYTES} bytes as base64, ` +
        "the current one first: openssl rand -base64 32 makes one",
    );
  }
  return [first, ...rest];
}

/** Writes atomically and to the disk, because a secret that is sealed next needs the key after a power failure. */
function writeKeys(path: string, keys: readonly [Uint8Array, ...Uint8Array[]]): SealingKey {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, keys.map((key) => `${Buffer.from(key).toString("base64")}\n`).join(""), { mode: FILE_MODE });
  syncToDisk(temporary);
  renameSync(temporary, path);
  syncToDisk(dirname(path));
  return sealingKeyOf(keys[0]);
}

function readIfThere(path: string): string | undefined {
  try {
    const text = readFileSync(path, "utf8");
    // A restore from a backup may have changed its mode.
    chmodSync(path, FILE_MODE);
    return text;
  } catch (error) {
    if (systemErrorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

const badKey = (message: string): TrunklineError => new TrunklineError("bad_configuration", "caller", message);
