import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId, AccountSecretId } from "../../core/ids.ts";
import type { AccountToolSecrets } from "../../core/tools/secrets.ts";
import type { Resealable } from "../sealing/reseal.ts";
import type { Act } from "./audit-store.ts";

/** What a secret is for: calls to a provider, or headers of HTTP tools. */
export type AccountSecretKind = "provider_credential" | "tool_secret";

/** A secret as it may be shown. */
export interface AccountSecret {
  /** `credential_...` or `tool_secret_...` */
  id: AccountSecretId;
  accountId: AccountId;
  kind: AccountSecretKind;
  /** What it is known by; an account has one of each name: the provider of a credential, the name in headers. */
  name: string;
  /** Of a tool secret: the servers that may receive it, `host` or `host:port` as a URL spells them. */
  hosts?: readonly string[];
  /** The end of its text, to tell secrets apart; empty for a short one. */
  lastCharacters: string;
  createdAtMs: EpochMs;
}

export interface NewAccountSecret extends Pick<AccountSecret, "kind" | "name" | "hosts"> {
  /** The secret itself. */
  text: string;
}

/** Which secrets of an account to list. */
export interface AccountSecretQuery {
  /** Only secrets after this one in the list's order. */
  afterId?: AccountSecretId | undefined;
  /** The maximum number of secrets; at least 1. */
  limit: number;
}

/**
 * The secrets of accounts, sealed and bound to their rows. Only redemptions and transcriptions open any. `act` is recorded in the audit log, in
 * the same transaction. Every operation rejects with `unavailable` when the store cannot answer at present.
 */
export interface AccountSecretStore extends Resealable {
  /**
   * Stores a secret in place of the account's earlier one of this kind and name. Undefined, and nothing is stored, where the account has
   * ACCOUNT_SECRETS_MAX others of this kind.
   */
  put(accountId: AccountId, secret: NewAccountSecret, act?: Act): Promise<AccountSecret | undefined>;
  /** The account's secrets of a kind, oldest first; `more` when others follow. */
  list(
    accountId: AccountId,
    kind: AccountSecretKind,
    query: AccountSecretQuery,
  ): Promise<{ secrets: readonly AccountSecret[]; more: boolean }>;
  /** Undefined for an unknown id, one of another account, and one of another kind. */
  get(accountId: AccountId, kind: AccountSecretKind, id: AccountSecretId): Promise<AccountSecret | undefined>;
  /** The texts of the account's secrets of a kind, by their names. Throws `unsealable` where one was changed or lacks its key. */
  open(accountId: AccountId, kind: AccountSecretKind): Promise<Readonly<Record<string, string>>>;
  /** Those of the account's tool secrets that have these names. Throws as `open`. */
  openToolSecrets(accountId: AccountId, names: readonly string[]): Promise<AccountToolSecrets>;
  /** Undefined, and nothing is deleted, for an unknown id, one of another account, and one of another kind. */
  remove(
    accountId: AccountId,
    kind: AccountSecretKind,
    id: AccountSecretId,
    act?: Act,
  ): Promise<AccountSecret | undefined>;
}
