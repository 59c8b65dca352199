import type { Role } from "../../core/accounts/roles.ts";
import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId, UserId } from "../../core/ids.ts";
import type { Act } from "../accounts/audit-store.ts";

export const USER_STATUSES = ["invited", "active"] as const;
/** `invited`: without a password, which the link of the invitation sets. */
export type UserStatus = (typeof USER_STATUSES)[number];

/** A person, without what signs them in. */
export interface UserRecord {
  /** `user_...` */
  id: UserId;
  accountId: AccountId;
  /** In lower case; unique in the account. */
  email: string;
  name: string;
  role: Role;
  status: UserStatus;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
  /** Absent before the first time. */
  lastSignInAtMs?: EpochMs;
}

export interface NewUser {
  accountId: AccountId;
  /** In lower case. */
  email: string;
  name: string;
  role: Role;
}

/** What to change; what is undefined stays. */
export interface UserChanges {
  name?: string | undefined;
  role?: Role | undefined;
}

/** Which people of an account to list. */
export interface UserQuery {
  role?: Role | undefined;
  status?: UserStatus | undefined;
  /** Only people after this one in the list's order. */
  afterUserId?: UserId | undefined;
  /** The maximum number of people; at least 1. */
  limit: number;
}

export const LINK_KINDS = ["invitation", "reset"] as const;
/** What a one-time link is for: the first password of a person who was invited, or another one. */
export type LinkKind = (typeof LINK_KINDS)[number];

/** A one-time link, whose token can be seen only now: the store has its SHA-256. */
export interface NewLink {
  kind: LinkKind;
  token: string;
  expiresAtMs: EpochMs;
}

export interface UserWithLink {
  record: UserRecord;
  link: NewLink;
}

/**
 * The people of accounts. Operations on one person are undefined for unknown ids and for those of other accounts. `act`
 * is recorded in the audit log, in the same transaction. `last_owner`, and changes nothing, where the account would be
 * without an owner, or without one who has a password if it has such a one. Every operation rejects with `unavailable`
 * when the store cannot answer at present.
 */
export interface UserStore {
  /** `exists`, and changes nothing, where the account has a person with this email. */
  invite(user: NewUser, act: Act): Promise<UserWithLink | "exists">;
  count(accountId: AccountId): Promise<number>;
  /** Whether a person with the role owner has a password: in this account, or in any. */
  ownerExists(accountId?: AccountId): Promise<boolean>;
  /** The account's people, in the order in which they were invited; `more` when others follow. */
  list(accountId: AccountId, query: UserQuery): Promise<{ users: readonly UserRecord[]; more: boolean }>;
  /** All people of all accounts, oldest first; for commands of the operator. */
  listAll(): Promise<readonly UserRecord[]>;
  get(accountId: AccountId, id: UserId): Promise<UserRecord | undefined>;
  update(
    accountId: AccountId,
    id: UserId,
    changes: UserChanges,
    act: Act,
  ): Promise<UserRecord | "last_owner" | undefined>;
  /** Deletes a person with their sessions and links. */
  remove(accountId: AccountId, id: UserId, act: Act): Promise<"removed" | "last_owner" | undefined>;
  /** Another invitation of a person who has not accepted it yet, else a link that resets the password. Earlier links end. */
  createLink(accountId: AccountId, id: UserId, act: Act): Promise<UserWithLink | undefined>;
}
