import { codeOf } from "../../../core/errors.ts";
import type { Logger } from "../../../core/log/logger.ts";
import { hasNoApiKey, writeFirstApiKey } from "../../../store/data-dir/first-api-key.ts";
import type { Stores } from "../../../store/stores.ts";

export interface FirstApiKeyOptions {
  isProduction: boolean;
  dataDir: string;
  stores: Stores;
  log: Logger;
}

/**
 * A new service writes its first API key to a file, because every request needs one. In production API keys are made only on
 * request; there the log says how. Resolves with whether the service is new: it had no API key.
 */
export async function ensureFirstApiKey({ isProduction, dataDir, stores, log }: FirstApiKeyOptions): Promise<boolean> {
  if (!(await hasNoApiKey(stores))) return false;
  if (isProduction) {
    const command =
      "npm run api-keys -- create --name <name>, or in the image node dist/cli/api-keys.js create --name <name>";
    log.warn(`no API key exists: create one with ${command}`);
    return true;
  }
  try {
    log.info({ path: await writeFirstApiKey(dataDir, stores) }, "first API key written");
  } catch (error) {
    log.error({ err: error, code: codeOf(error) }, "first API key could not be written");
  }
  return true;
}
