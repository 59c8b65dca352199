export interface Account {
  /** `account_...` */
  id: string;
  name: string;
}

export interface AccountStore {
  /** The id of the account with this name, which is created if it does not exist. */
  ensure(name: string): Promise<string>;
  /** Oldest first. */
  list(): Promise<readonly Account[]>;
}
