import type { AccountId } from "../core/ids.ts";

export interface Account {
  /** `account_...` */
  id: AccountId;
  name: string;
}

export interface AccountStore {
  /** Makes an account with this id exist, under a name that says that it was restored. */
  restore(id: AccountId): Promise<void>;
  /** The id of the account with this name, which is created if it does not exist. */
  ensure(name: string): Promise<AccountId>;
  /** Oldest first. */
  list(): Promise<readonly Account[]>;
}
