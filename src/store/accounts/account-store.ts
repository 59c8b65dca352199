import type { AccountSettings, AccountSettingsChanges } from "../../core/accounts/account-settings.ts";
import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId } from "../../core/ids.ts";
import type { Act } from "./audit-store.ts";

export interface Account {
  /** `account_...` */
  id: AccountId;
  /** Unique. */
  name: string;
  settings: AccountSettings;
  /** The number of its state: 1, 2, ... Every change makes it higher. */
  version: number;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
}

/** What to change; what is undefined stays. */
export interface AccountChanges extends AccountSettingsChanges {
  name?: string | undefined;
}

/** `stale`: the account has another version than `ifVersion`. `name_taken`: another account has this name. */
export type AccountUpdate = Account | "stale" | "name_taken";

/**
 * The accounts of the service. `act` is recorded in the audit log of the account, in the same transaction. Every operation
 * rejects with `unavailable` when the store cannot answer at present.
 */
export interface AccountStore {
  /** Makes an account with this id exist, under a name that says that it was restored. */
  restore(id: AccountId): Promise<void>;
  /** The id of the account with this name, which is created if it does not exist: recorded only with `act`. */
  ensure(name: string, act?: Act): Promise<AccountId>;
  create(name: string, settings: AccountSettings, act?: Act): Promise<Account | "name_taken">;
  /** Oldest first. */
  list(): Promise<readonly Account[]>;
  get(id: AccountId): Promise<Account | undefined>;
  /** Undefined for an unknown id. A change that changes nothing is no change. */
  update(id: AccountId, changes: AccountChanges, act?: Act, ifVersion?: number): Promise<AccountUpdate | undefined>;
}
