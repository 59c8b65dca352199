import type { Scope } from "../../core/accounts/scopes.ts";
import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId, ApiKeyId } from "../../core/ids.ts";
import type { Account } from "./account-store.ts";
import type { Act } from "./audit-store.ts";

/** An API key as it may be shown: all members but the key's text. */
export interface ApiKeyRecord {
  /** `key_...` */
  id: ApiKeyId;
  accountId: AccountId;
  name: string;
  /** The first characters of the key's text, to tell API keys apart. */
  visiblePrefix: string;
  scopes: readonly Scope[];
  /** From then on it is refused. */
  expiresAtMs?: EpochMs;
  /** Its last use, as it was last stored: up to about a minute late. */
  lastUsedAtMs?: EpochMs;
  /** After a rotation: until when the previous text works. Absent when that time has passed. */
  previousUntilMs?: EpochMs;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
  revokedAtMs?: EpochMs;
}

export const API_KEY_STATUSES = ["active", "expired", "revoked"] as const;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

/** What an authenticated request needs to know of its account. */
export type AccountState = Pick<Account, "name" | "settings" | "version">;

/** The account and the API key of an authenticated request. */
export interface Principal {
  accountId: AccountId;
  apiKeyId: ApiKeyId;
  scopes: readonly Scope[];
  account: AccountState;
  /** When the text that was given stops to work: the expiry, or the end of a rotation's overlap. */
  validUntilMs?: EpochMs;
  lastUsedAtMs?: EpochMs;
}

export interface NewApiKey {
  accountId: AccountId;
  name: string;
  /** Not empty; DEFAULT_SCOPES when absent. */
  scopes?: readonly Scope[] | undefined;
  /** It never expires when absent. */
  expiresAtMs?: EpochMs | undefined;
}

/** What to change; what is undefined stays. */
export interface ApiKeyChanges {
  name?: string | undefined;
  scopes?: readonly Scope[] | undefined;
  /** Null: it never expires. */
  expiresAtMs?: EpochMs | null | undefined;
}

/** Which API keys of an account to list. */
export interface ApiKeyQuery {
  status?: ApiKeyStatus | undefined;
  /** Only API keys after this one in the list's order. */
  afterApiKeyId?: ApiKeyId | undefined;
  /** The maximum number of API keys; at least 1. */
  limit: number;
}

/** An API key with its text, which can be seen only now: the store has its SHA-256. */
export interface ApiKeyWithText {
  key: string;
  record: ApiKeyRecord;
}

/**
 * Operations on one API key are undefined for unknown ids and for those of other accounts. `act` is recorded in the
 * audit log, in the same transaction; without it the service itself acts. Every operation rejects with `unavailable`
 * when the store cannot answer at present.
 */
export interface ApiKeyStore {
  create(apiKey: NewApiKey, act?: Act): Promise<ApiKeyWithText>;
  /** How many API keys of the account are not revoked. */
  count(accountId: AccountId): Promise<number>;
  /**
   * Undefined unless `key` is the complete text of an API key that is neither revoked nor expired, or its previous text
   * during the overlap of a rotation. A near miss takes as long as any other.
   */
  authenticate(key: string): Promise<Principal | undefined>;
  /** Stores that these API keys were used at this time. */
  recordUse(ids: readonly ApiKeyId[], atMs: EpochMs): Promise<void>;
  /** All API keys of all accounts, oldest first; for commands of the operator. */
  listAll(): Promise<readonly ApiKeyRecord[]>;
  /** The account's API keys, oldest first; `more` when others follow. */
  list(accountId: AccountId, query: ApiKeyQuery): Promise<{ apiKeys: readonly ApiKeyRecord[]; more: boolean }>;
  get(accountId: AccountId, id: ApiKeyId): Promise<ApiKeyRecord | undefined>;
  /** `revoked`, and changes nothing, for an API key that is revoked. */
  update(
    accountId: AccountId,
    id: ApiKeyId,
    changes: ApiKeyChanges,
    act?: Act,
  ): Promise<ApiKeyRecord | "revoked" | undefined>;
  /**
   * Gives it another text; the previous one works for `overlapMs`, and one before that no longer. `revoked` as for
   * `update`.
   */
  rotate(
    accountId: AccountId,
    id: ApiKeyId,
    overlapMs: number,
    act?: Act,
  ): Promise<ApiKeyWithText | "revoked" | undefined>;
  /** One that is already revoked stays as it is. */
  revoke(accountId: AccountId, id: ApiKeyId, act?: Act): Promise<ApiKeyRecord | undefined>;
}
