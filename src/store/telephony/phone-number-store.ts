import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId, AgentId, CarrierId, PhoneNumberId } from "../../core/ids.ts";
import type { Act } from "../accounts/audit-store.ts";

/** A number of an account. An account has each number once. */
export interface PhoneNumber {
  /** `number_...` */
  id: PhoneNumberId;
  accountId: AccountId;
  /** E.164. */
  number: string;
  carrierId: CarrierId;
  /** The carrier's own id of it. */
  carrierNumberId: string;
  name: string;
  /** Answers its calls; undefined for none: they are refused. */
  agentId?: AgentId;
  /** Asked for overrides before a call is answered; `InboundWebhookStore` has its secret. */
  inboundWebhookUrl?: string;
  /** How many inbound calls it may have at once; undefined for no limit of its own. */
  maxConcurrentCalls?: number;
  /** What a caller hears who is not connected; the service's phrase by default. */
  refusalText?: string;
  /** The carrier sends its calls to this service. */
  isAttached: boolean;
  /** What the carrier did with its calls before it was attached, JSON; for `detach`. Kept where an attachment was forgotten. */
  routingBefore?: Readonly<Record<string, unknown>>;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
}

export type NewPhoneNumber = Pick<PhoneNumber, "number" | "carrierId" | "carrierNumberId" | "name">;

/** Members that are given replace those of the number; `null` removes one. */
export interface PhoneNumberChange {
  name?: string | undefined;
  agentId?: AgentId | null | undefined;
  /** Removed with its secret; `InboundWebhookStore.set` sets it. */
  inboundWebhookUrl?: null | undefined;
  maxConcurrentCalls?: number | null | undefined;
  refusalText?: string | null | undefined;
}

/** The numbers of accounts. `act` is recorded in the audit log, in the same transaction. Rejects as CarrierStore does. */
export interface PhoneNumberStore {
  /** Stores those that the account does not have yet, up to PHONE_NUMBERS_MAX in all; returns the stored ones and those it had. */
  import(accountId: AccountId, numbers: readonly NewPhoneNumber[], act?: Act): Promise<readonly PhoneNumber[]>;
  get(accountId: AccountId, id: PhoneNumberId): Promise<PhoneNumber | undefined>;
  /** The account's number with this E.164 text. */
  find(accountId: AccountId, number: string): Promise<PhoneNumber | undefined>;
  /** The number of a carrier that this E.164 text names. */
  findOfCarrier(carrierId: CarrierId, number: string): Promise<PhoneNumber | undefined>;
  /** Oldest first; `more` when others follow. */
  list(
    accountId: AccountId,
    query: { carrierId?: CarrierId | undefined; afterId?: PhoneNumberId | undefined; limit: number },
  ): Promise<{ numbers: readonly PhoneNumber[]; more: boolean }>;
  update(
    accountId: AccountId,
    id: PhoneNumberId,
    change: PhoneNumberChange,
    act?: Act,
  ): Promise<PhoneNumber | undefined>;
  /** Stores what the carrier did before, at most once until `setDetached`; a second attachment keeps what is stored. */
  setAttached(
    accountId: AccountId,
    id: PhoneNumberId,
    routingBefore: Readonly<Record<string, unknown>>,
    act?: Act,
  ): Promise<PhoneNumber | undefined>;
  /** `keepsRouting`: the carrier was not asked, and may still send the calls here. */
  setDetached(
    accountId: AccountId,
    id: PhoneNumberId,
    act?: Act,
    options?: { keepsRouting?: boolean },
  ): Promise<PhoneNumber | undefined>;
  /** `attached` while the carrier sends its calls here. */
  remove(accountId: AccountId, id: PhoneNumberId, act?: Act): Promise<PhoneNumber | "attached" | undefined>;
}
