import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId, UserId } from "../../core/ids.ts";
import type { AccountState } from "../accounts/api-key-store.ts";
import type { LinkKind, UserRecord } from "./user-store.ts";

/** Who tries to sign in. */
export interface SignInQuery {
  /** In lower case. */
  email: string;
  /** Where the email is in several accounts; without it the person who was invited first. */
  accountId?: AccountId | undefined;
  /** The secret of the browser, if it has one. */
  device?: string | undefined;
}

/** A person with a password. */
export interface SignInCandidate {
  userId: UserId;
  accountId: AccountId;
  passwordHash: string;
  /** Whether this person has signed in with the given device before. */
  isKnownDevice: boolean;
}

/** A session as it begins; its secrets can be seen only now. */
export interface NewSession {
  user: UserRecord;
  /** The text of the session's cookie. */
  secret: string;
  expiresAtMs: EpochMs;
  /** Recognizes the browser at the next sign-in. */
  device: { secret: string; expiresAtMs: EpochMs };
}

/** The person of an authenticated request. */
export interface SessionPrincipal {
  user: UserRecord;
  account: AccountState;
  expiresAtMs: EpochMs;
}

/** A session of a person, without its secret. */
export interface SessionRecord {
  createdAtMs: EpochMs;
  expiresAtMs: EpochMs;
  /** Whether it is the one that asked. */
  isCurrent: boolean;
}

/** What is needed to begin a session; `device` is the secret of the browser if it is known, and is replaced. */
export interface SignIn {
  userId: UserId;
  /** The hash that the password was compared with: the sign-in fails if it is no longer the person's. */
  passwordHash: string;
  device?: string | undefined;
  requestId: string;
}

/**
 * What signs people in: passwords, sessions, one-time links. Secrets are stored as SHA-256, passwords as the text of their
 * hash. Acts are recorded in the audit log with the person as the actor, in the same transaction. Every operation rejects
 * with `unavailable` when the store cannot answer at present.
 */
export interface SessionStore {
  /** Undefined where no such person has a password. */
  findCandidate(query: SignInQuery): Promise<SignInCandidate | undefined>;
  /** Undefined where the person is gone, or has another password meanwhile. */
  signIn(signIn: SignIn): Promise<NewSession | undefined>;
  /** The person as they are now; undefined for a session that has ended. */
  authenticate(secret: string): Promise<SessionPrincipal | undefined>;
  /** The same for several sessions in one query, by their secrets; those that have ended are left out. */
  authenticateAll(secrets: readonly string[]): Promise<ReadonlyMap<string, SessionPrincipal>>;
  signOut(secret: string, requestId: string): Promise<void>;
  /** The sessions of a person that have not ended, the newest first. `secret` is that of the session that asks. */
  list(userId: UserId, secret: string): Promise<readonly SessionRecord[]>;
  /** Ends all sessions of the person but the one with this secret. */
  signOutOthers(userId: UserId, secret: string, requestId: string): Promise<void>;
  passwordHashOf(userId: UserId): Promise<string | undefined>;
  /** Ends all other sessions and links of the person. False, and changes nothing, where `from` is no longer their hash. */
  changePassword(
    userId: UserId,
    change: { from: string; to: string; sessionSecret: string; requestId: string },
  ): Promise<boolean>;
  /** The person of a one-time link that still works. */
  findLink(token: string): Promise<{ user: UserRecord; kind: LinkKind } | undefined>;
  /**
   * Uses a link up: sets the password, ends all sessions and other links of the person, and begins a session. Undefined, and
   * changes nothing, for a link that was used, has expired or was replaced.
   */
  useLink(token: string, passwordHash: string, requestId: string): Promise<NewSession | undefined>;
}
