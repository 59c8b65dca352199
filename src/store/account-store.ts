import type { AccountId } from "../core/ids.ts";

export interface Account {
  /** `account_...` */
  id: AccountId;
  name: string;
}

export interface AccountStore {
  /** The id of the account with this name, which is created if it does not exist. */
  ensure(name: string): Promise<AccountId>;
  /** Oldest first. */
  list(): Promise<readonly Account[]>;
}
