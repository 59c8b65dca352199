/** An API key as it may be shown: everything but the key. */
export interface ApiKeyRecord {
  /** `key_...` */
  id: string;
  accountId: string;
  name: string;
  /** The first characters of the key, to tell keys apart by. */
  visiblePrefix: string;
  /** Milliseconds since the Unix epoch, as is `revokedAtMs`. */
  createdAtMs: number;
  revokedAtMs?: number;
}

/** Whose request it is. */
export interface Principal {
  accountId: string;
  apiKeyId: string;
}

/** Every operation rejects with `unavailable` when the store cannot answer just now. */
export interface ApiKeyStore {
  /** Makes a key. This is the only time that its text can be seen: what is stored is its SHA-256. */
  create(options: { accountId: string; name: string }): Promise<{ key: string; record: ApiKeyRecord }>;
  /** Undefined for anything but the whole text of a key that lives. A near miss takes no longer than any other. */
  authenticate(key: string): Promise<Principal | undefined>;
  /** All keys of all accounts, oldest first. */
  list(): Promise<readonly ApiKeyRecord[]>;
  /** Returns false when there is no such key; a key that is revoked already stays as it is. */
  revoke(keyId: string): Promise<boolean>;
}

export interface Account {
  /** `account_...` */
  id: string;
  name: string;
}

export interface AccountStore {
  /** The id of the account with this name, which is made when there is none. */
  ensure(name: string): Promise<string>;
  /** Oldest first. */
  list(): Promise<readonly Account[]>;
}
