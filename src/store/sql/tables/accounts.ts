import type { Generated } from "kysely";
import type { EpochMs } from "../../../core/clocks.ts";
import type {
  AccountId,
  AccountSecretId,
  ApiKeyId,
  AuditEventId,
  PublishableKeyId,
  UserId,
} from "../../../core/ids.ts";
import type { AccountSecretKind } from "../../accounts/account-secret-store.ts";

/** Accounts, their keys and secrets, people and the audit log. */
export interface AccountTables {
  accounts: {
    id: AccountId;
    name: string;
    created_at: EpochMs;
    /** Null in accounts that were never changed. */
    updated_at: EpochMs | null;
    /** JSON of AccountSettings; null for empty ones. */
    settings: string | null;
    /** Goes up with every change. */
    version: Generated<number>;
  };
  /** Sealed secrets, of which an account has one of each kind and name. */
  account_secrets: {
    id: AccountSecretId;
    account_id: AccountId;
    kind: AccountSecretKind;
    name: string;
    /** Sealed. */
    sealed_secret: string;
    last_characters: string;
    /** JSON, a list of the servers that may receive it; null for kinds without such a list. */
    hosts: string | null;
    created_at: EpochMs;
  };
  api_keys: {
    id: ApiKeyId;
    account_id: AccountId;
    name: string;
    /** SHA-256 of the key, lower-case hex. */
    hash: string;
    visible_prefix: string;
    created_at: EpochMs;
    revoked_at: EpochMs | null;
    /** JSON, a list of Scope; null for the default ones. */
    scopes: string | null;
    expires_at: EpochMs | null;
    last_used_at: EpochMs | null;
    /** Of the text before the last rotation. */
    previous_hash: string | null;
    previous_prefix: string | null;
    previous_until: EpochMs | null;
    /** Null in API keys that were never changed. */
    updated_at: EpochMs | null;
  };
  users: {
    id: UserId;
    account_id: AccountId;
    /** In lower case. */
    email: string;
    name: string;
    role: string;
    /** The text of a hash by scrypt, with its parameters; null until the invitation is accepted. */
    password_hash: string | null;
    created_at: EpochMs;
    updated_at: EpochMs;
    last_sign_in_at: EpochMs | null;
  };
  user_secrets: {
    /** SHA-256 of the text, lower-case hex. */
    hash: string;
    account_id: AccountId;
    user_id: UserId;
    /** One of `session`, `device`, and the kinds of links. */
    kind: string;
    created_at: EpochMs;
    expires_at: EpochMs;
  };
  /** What lets the browser of the operator start calls without a person or an API key. */
  owner_secrets: {
    /** SHA-256 of the text, lower-case hex. */
    hash: string;
    account_id: AccountId;
    /** `link` or `page`. */
    kind: string;
    created_at: EpochMs;
    expires_at: EpochMs;
  };
  /** Keys by which web pages start calls. They are no secrets, so the text is stored. */
  publishable_keys: {
    id: PublishableKeyId;
    account_id: AccountId;
    name: string;
    key: string;
    /** JSON of a list of ids. */
    agent_ids: string;
    /** JSON of a list. */
    origins: string;
    /** JSON of PublishableKeyLimits. */
    limits: string;
    created_at: EpochMs;
    updated_at: EpochMs;
    revoked_at: EpochMs | null;
  };
  /** The origins of publishable keys that are not revoked, as preflights look for them. */
  publishable_key_origins: { publishable_key_id: PublishableKeyId; account_id: AccountId; origin: string };
  /** Only ever added to. */
  audit_events: {
    id: AuditEventId;
    account_id: AccountId;
    actor_kind: string;
    actor_id: string;
    action: string;
    target_kind: string;
    target_id: string;
    /** JSON of AuditDetails. */
    details: string;
    request_id: string | null;
    created_at: EpochMs;
  };
}
