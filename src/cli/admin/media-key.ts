import { readSecretsKey } from "../../config/environment.ts";
import { systemClock } from "../../core/clock.ts";
import { mediaKeyText } from "../../core/encryption/chunks.ts";
import { asCallId } from "../../core/ids.ts";
import type { FindMediaKey } from "../../record/finalization/journal-processor.ts";
import { openStores, type StorePlace } from "../../store/open-stores.ts";
import { openSecretsKeys } from "../../store/sealing/secrets-key.ts";
import type { Stores } from "../../store/stores.ts";

/** Prints the key of a call's encrypted journal, for `npm run replay`; also while the service runs. Throws when it has none. */
export async function printMediaKey(place: StorePlace, callId: string, say: (line: string) => void): Promise<void> {
  const stores = await openStores(place, systemClock);
  try {
    const key = await (await mediaKeysOf(place.dataDir, stores))(asCallId(callId));
    if (key === undefined) throw new Error(`${callId} has no media key: its media are not encrypted, or are deleted`);
    say(mediaKeyText(key));
  } finally {
    await stores.close();
  }
}

/** Finds media keys with SECRETS_KEY or the key file of this data directory. Rejects as `openSecretsKeys` throws. */
export async function mediaKeysOf(
  dataDir: string,
  stores: Pick<Stores, "openMediaKeys" | "sealingKeyIds">,
): Promise<FindMediaKey> {
  const usedKeyIds = await stores.sealingKeyIds();
  // Nothing is sealed: there is no media key, and a key file must not be made here.
  if (usedKeyIds.length === 0) return async () => undefined;
  const keys = openSecretsKeys({ dataDir, fromEnvironment: readSecretsKey(), usedKeyIds });
  const mediaKeys = stores.openMediaKeys(keys);
  return (callId) => mediaKeys.find(callId);
}
