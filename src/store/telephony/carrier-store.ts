import type { CarrierType } from "../../core/calls/spec.ts";
import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId, CallId, CarrierId } from "../../core/ids.ts";
import type { Act } from "../accounts/audit-store.ts";
import type { Resealable } from "../sealing/reseal.ts";

/** An account at a carrier, as it may be shown. */
export interface Carrier {
  /** `carrier_...` */
  id: CarrierId;
  accountId: AccountId;
  /** Which carrier it is. */
  carrier: CarrierType;
  name: string;
  /** The credentials that are no secrets, by their names. */
  publicCredentials: Readonly<Record<string, string>>;
  /** How many of its calls may be dialling, ringing or live at once; undefined for no limit of its own. */
  maxConcurrentCalls?: number;
  /** How many calls it may place a second, from each of its numbers. */
  callsPerSecond: number;
  /** ISO 3166-1 alpha-2 codes of the countries that calls may be placed to; undefined for that of the number that calls. */
  allowedCountries?: readonly string[];
  /** E.164 numbers, or beginnings of them, that are allowed although their kind is refused: premium, shared cost, ... */
  allowedNumbers?: readonly string[];
  /** The unguessable part of its webhooks' addresses, 32 characters of base64url's alphabet. Not secret, and never logged. */
  webhookKey: string;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
  /** When the carrier accepted the credentials: the caller of `create`, and of `update` with `credentials`, has asked it. */
  verifiedAtMs: EpochMs;
}

/** Calls that ended `unknown` a short time ago: they may ring after all, and are then hung up by the carrier's credentials. */
export interface UnsettledCalls {
  /** The newest first; some of them where there are many. */
  callIds: readonly CallId[];
  /** When all of them have been over for long enough. */
  untilMs: EpochMs;
}

export interface NewCarrier
  extends Pick<
    Carrier,
    | "carrier"
    | "name"
    | "publicCredentials"
    | "maxConcurrentCalls"
    | "callsPerSecond"
    | "allowedCountries"
    | "allowedNumbers"
  > {
  /** All credentials, by their names; sealed. */
  credentials: Readonly<Record<string, string>>;
}

/** Members that are given replace those of the carrier. `null` removes a limit. */
export type CarrierChange = Partial<
  Pick<NewCarrier, "name" | "publicCredentials" | "credentials" | "callsPerSecond"> & {
    maxConcurrentCalls: number | null;
    allowedCountries: readonly string[] | null;
    allowedNumbers: readonly string[] | null;
  }
>;

/** A carrier with its credentials. Never logged. */
export interface OpenedCarrier {
  carrier: Carrier;
  credentials: Readonly<Record<string, string>>;
}

/**
 * The carriers of accounts, with sealed credentials bound to their rows. `act` is recorded in the audit log, in the same transaction,
 * without any credential. Every operation rejects with `unavailable` when the store cannot answer at present; opening rejects with
 * `unsealable` where the key is missing, also after it was forgotten: then `update` with `credentials` helps.
 */
export interface CarrierStore extends Resealable {
  create(accountId: AccountId, carrier: NewCarrier, act?: Act): Promise<Carrier>;
  /** Undefined for an unknown id and one of another account, as below. */
  get(accountId: AccountId, id: CarrierId): Promise<Carrier | undefined>;
  /** Oldest first; `more` when others follow. */
  list(
    accountId: AccountId,
    query: { afterId?: CarrierId | undefined; limit: number },
  ): Promise<{ carriers: readonly Carrier[]; more: boolean }>;
  /**
   * `in_use`, or the calls, and nothing is changed: it would name another account at the carrier while it is in use, as `remove` has it. `identity` has
   * the names of the public credentials that name the account; all of them by default.
   */
  update(
    accountId: AccountId,
    id: CarrierId,
    change: CarrierChange,
    act?: Act,
    identity?: readonly string[],
  ): Promise<Carrier | "in_use" | UnsettledCalls | undefined>;
  /**
   * Deletes it with its numbers; `in_use` while one of them is attached, or a call of it is not over, here or at the carrier; the calls
   * while some of the last UNKNOWN_CALL_MS ended `unknown`.
   */
  remove(accountId: AccountId, id: CarrierId, act?: Act): Promise<Carrier | "in_use" | UnsettledCalls | undefined>;
  /** With its credentials, by id. */
  open(id: CarrierId): Promise<OpenedCarrier | undefined>;
  /** With its credentials, by the key in the addresses of its webhooks. */
  openByWebhookKey(webhookKey: string): Promise<OpenedCarrier | undefined>;
}
