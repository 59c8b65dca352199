import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SCOPES } from "../../core/accounts/scopes.ts";
import type { Stores } from "../stores.ts";

/** The account of API keys that name no account. */
export const DEFAULT_ACCOUNT_NAME = "default";
const FIRST_API_KEY_NAME = "first key";
const FILE_MODE = 0o600;

/** The file in which a new service stores its first API key. */
export const firstApiKeyPath = (dataDir: string): string => join(dataDir, "first-api-key");

/** Whether no API key was ever created; revoked ones count as created. */
export const hasNoApiKey = async ({ apiKeys }: Pick<Stores, "apiKeys">): Promise<boolean> =>
  (await apiKeys.listAll()).length === 0;

/**
 * Creates an API key of the first account and writes it to `firstKeyPath`, readable by its owner alone. It has every
 * scope, because it is the operator's. An existing file belongs to another database and is replaced. Returns the path. Rejects with the system's error, and the API key
 * then does not exist.
 */
export async function writeFirstApiKey(dataDir: string, { accounts, apiKeys }: Stores): Promise<string> {
  const path = firstApiKeyPath(dataDir);
  rmSync(path, { force: true });
  const { key, record } = await apiKeys.create({
    accountId: await accounts.ensure(DEFAULT_ACCOUNT_NAME),
    name: FIRST_API_KEY_NAME,
    scopes: SCOPES,
  });
  try {
    writeFileSync(path, `${key}\n`, { mode: FILE_MODE, flag: "wx" });
  } catch (error) {
    await apiKeys.revoke(record.accountId, record.id);
    throw error;
  }
  return path;
}
