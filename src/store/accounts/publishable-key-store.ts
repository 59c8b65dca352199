import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId, AgentId, PublishableKeyId } from "../../core/ids.ts";
import type { AccountState } from "./api-key-store.ts";
import type { Act } from "./audit-store.ts";

/** What web pages may start with one publishable key, and what one address may. */
export interface PublishableKeyLimits {
  startsPerMinute: number;
  startsPerMinutePerAddress: number;
  /** Calls at once, created or active. */
  concurrentCalls: number;
  concurrentCallsPerAddress: number;
  /** What the calls that were created on one day (UTC) may cost, in the currency of the service's prices. Null: no limit. */
  maxCostPerDay: number | null;
  maxCostPerDayPerAddress: number | null;
}

/** A publishable key. It is no secret: its text stands in web pages. */
export interface PublishableKey {
  /** `publishable_key_...` */
  id: PublishableKeyId;
  accountId: AccountId;
  name: string;
  /** `pk_...`: the text that pages send. */
  key: string;
  /** The agents from which it may start calls. */
  agentIds: readonly AgentId[];
  /** Serialized origins, exactly as browsers send them. */
  origins: readonly string[];
  limits: PublishableKeyLimits;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
  revokedAtMs?: EpochMs;
}

/** A publishable key with its account, as a request that it starts needs them. */
export interface FoundPublishableKey extends PublishableKey {
  account: AccountState;
}

export const PUBLISHABLE_KEY_STATUSES = ["active", "revoked"] as const;
export type PublishableKeyStatus = (typeof PUBLISHABLE_KEY_STATUSES)[number];

export type NewPublishableKey = Pick<PublishableKey, "accountId" | "name" | "agentIds" | "origins" | "limits">;

/** What to change; what is undefined stays. */
export interface PublishableKeyChanges {
  name?: string | undefined;
  agentIds?: readonly AgentId[] | undefined;
  origins?: readonly string[] | undefined;
  limits?: { [Name in keyof PublishableKeyLimits]?: PublishableKeyLimits[Name] | undefined } | undefined;
}

export interface PublishableKeyQuery {
  status?: PublishableKeyStatus | undefined;
  /** Only those after this one in the list's order. */
  afterId?: PublishableKeyId | undefined;
  /** At least 1. */
  limit: number;
}

/**
 * Operations on one publishable key are undefined for unknown ids and for those of other accounts. `act` is recorded in
 * the audit log, in the same transaction; without it the service itself acts. Every operation rejects with `unavailable`
 * when the store cannot answer at present.
 */
export interface PublishableKeyStore {
  create(key: NewPublishableKey, act?: Act): Promise<PublishableKey>;
  /** How many of the account are not revoked. */
  count(accountId: AccountId): Promise<number>;
  /** The publishable key with this text, unless it is revoked. */
  find(key: string): Promise<FoundPublishableKey | undefined>;
  /** Whether any publishable key that is not revoked names this origin. */
  namesOrigin(origin: string): Promise<boolean>;
  /** The account's publishable keys, oldest first; `more` when others follow. */
  list(
    accountId: AccountId,
    query: PublishableKeyQuery,
  ): Promise<{ publishableKeys: readonly PublishableKey[]; more: boolean }>;
  get(accountId: AccountId, id: PublishableKeyId): Promise<PublishableKey | undefined>;
  /** `revoked`, and changes nothing, for one that is revoked. */
  update(
    accountId: AccountId,
    id: PublishableKeyId,
    changes: PublishableKeyChanges,
    act?: Act,
  ): Promise<PublishableKey | "revoked" | undefined>;
  /** One that is already revoked stays as it is. */
  revoke(accountId: AccountId, id: PublishableKeyId, act?: Act): Promise<PublishableKey | undefined>;
}
