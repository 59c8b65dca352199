import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { systemErrorCodeOf, TrunklineError } from "../../core/errors.ts";
import { TOKEN_RANDOM_BYTES } from "../../core/limits/service/admission.ts";
import { syncToDisk } from "../../core/sync-to-disk.ts";

const FILE_NAME = "token-keys.json";
const FILE_MODE = 0o600;
const KeySchema = z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((TOKEN_RANDOM_BYTES * 4) / 3)}}$`));

/** The keys by which workers recognize valid stream tokens, base64url. */
export const TokenKeys = z.strictObject({
  /** Signs new tokens. */
  current: KeySchema,
  /** The key before the last rotation: its tokens stay valid until they expire. */
  previous: KeySchema.optional(),
});
export type TokenKeys = z.output<typeof TokenKeys>;

/**
 * Reads the token keys, or creates the first one. Throws `bad_configuration` where the file has no valid keys, and the
 * system's errors.
 */
export function openTokenKeys(dataDir: string): TokenKeys {
  return readTokenKeys(dataDir) ?? write(dataDir, { current: newKey() });
}

/**
 * Creates another key for new tokens; the previous one stays valid until the next rotation. Throws as `openTokenKeys`
 * does. A running service uses the new key within TOKEN_KEY_POLL_MS.
 */
export function rotateTokenKeys(dataDir: string): TokenKeys {
  const previous = readTokenKeys(dataDir)?.current;
  return write(dataDir, { current: newKey(), ...(previous !== undefined && { previous }) });
}

function readTokenKeys(dataDir: string): TokenKeys | undefined {
  const path = join(dataDir, FILE_NAME);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (systemErrorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  // A restore from a backup may have changed its mode.
  chmodSync(path, FILE_MODE);
  const parsed = TokenKeys.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  throw new TrunklineError(
    "bad_configuration",
    "caller",
    `${path} must hold {"current": <key>}, where a key is ${TOKEN_RANDOM_BYTES} bytes as base64url; remove it to have another one made`,
  );
}

/**
 * Writes atomically, because a service may read the file meanwhile. The file is on the disk when this returns, so that
 * the tokens it signs survive a power failure.
 */
function write(dataDir: string, keys: TokenKeys): TokenKeys {
  const path = join(dataDir, FILE_NAME);
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(keys)}\n`, { mode: FILE_MODE });
  syncToDisk(temporary);
  renameSync(temporary, path);
  syncToDisk(dataDir);
  return keys;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const newKey = (): string => randomBytes(TOKEN_RANDOM_BYTES).toString("base64url");
