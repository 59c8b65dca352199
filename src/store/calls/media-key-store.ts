import type { MediaKey } from "../../core/encryption/chunks.ts";
import type { AccountId, CallId } from "../../core/ids.ts";
import type { Resealable } from "../sealing/reseal.ts";

/**
 * The keys of encrypted journals and recordings, sealed and bound to their calls. A redemption makes a call's key, before
 * anything of the call is written; `RetentionStore.deleteMediaKey` and `CallStore.remove` delete it, and with it what it
 * encrypts. Every operation rejects with `unavailable` when the store cannot answer at present.
 */
export interface MediaKeyStore extends Resealable {
  /** Undefined for a call whose media are not encrypted, or are deleted. Rejects with `unsealable` for a changed row. */
  find(callId: CallId): Promise<MediaKey | undefined>;
  /** Stores the key of a call again, which the database has lost; one that it has stays. */
  restore(accountId: AccountId, key: MediaKey): Promise<void>;
}
