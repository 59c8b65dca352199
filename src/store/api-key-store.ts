import type { EpochMs } from "../core/clocks.ts";
import type { AccountId, ApiKeyId } from "../core/ids.ts";

/** An API key as it may be shown: all members but the key's text. */
export interface ApiKeyRecord {
  /** `key_...` */
  id: ApiKeyId;
  accountId: AccountId;
  name: string;
  /** The first characters of the key's text, to tell API keys apart. */
  visiblePrefix: string;
  createdAtMs: EpochMs;
  revokedAtMs?: EpochMs;
}

/** The account and the API key of an authenticated request. */
export interface Principal {
  accountId: AccountId;
  apiKeyId: ApiKeyId;
}

/** Every operation rejects with `unavailable` when the store cannot answer at present. */
export interface ApiKeyStore {
  /** Creates an API key. Its text can be seen only now: the store has its SHA-256. */
  create(options: { accountId: AccountId; name: string }): Promise<{ key: string; record: ApiKeyRecord }>;
  /** Undefined unless `key` is the complete text of an active API key. A near miss takes as long as any other. */
  authenticate(key: string): Promise<Principal | undefined>;
  /** All API keys of all accounts, oldest first. */
  list(): Promise<readonly ApiKeyRecord[]>;
  /** Returns false for an unknown id. A key that is already revoked stays as it is. */
  revoke(keyId: ApiKeyId): Promise<boolean>;
}
