import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId, CallId, DeliveryId, DocumentId, EventId, TranscriptionId, WebhookId } from "../../core/ids.ts";
import type { WebhookEventType } from "../../core/webhook-events.ts";
import type { Act } from "../accounts/audit-store.ts";
import type { Resealable } from "../sealing/reseal.ts";

/**
 * Why a webhook gets no events: its owner disabled it, its endpoint answered 410, it failed for days, or the key of its
 * secret was lost.
 */
export const DISABLED_REASONS = ["client", "gone", "failing", "secret_lost"] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export interface Webhook {
  id: WebhookId;
  accountId: AccountId;
  url: string;
  description: string;
  eventTypes: readonly WebhookEventType[];
  /** Present while it is disabled. */
  disabledReason?: DisabledReason;
  /** Since when no attempt has succeeded; absent after a success, and before the first failure. */
  failingSinceMs?: EpochMs;
  /** Until when deliveries are signed with the previous secret, too. */
  previousSecretUntilMs?: EpochMs;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
}

export interface WebhookSettings {
  url: string;
  description: string;
  eventTypes: readonly WebhookEventType[];
  enabled: boolean;
}

/** What to change; what is undefined stays. */
export type WebhookChanges = { [Name in keyof WebhookSettings]?: WebhookSettings[Name] | undefined };

/** A fact that webhooks deliver. Its id is the same in every delivery and every attempt. */
export interface WebhookEvent {
  id: EventId;
  accountId: AccountId;
  type: WebhookEventType;
  /** The call that it is about; absent for events about something else. */
  callId?: CallId;
  /** The transcription that it is about; absent for events about something else. */
  transcriptionId?: TranscriptionId;
  /** The document that it is about; absent for events about something else. */
  documentId?: DocumentId;
  /** Its `data`; absent for `call.ended` and for events of transcriptions and documents, which are read from the records when they are sent. */
  data?: unknown;
  createdAtMs: EpochMs;
}

export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
/** `failed`: it is not attempted any more, until it is replayed. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** What an endpoint answered. */
export interface DeliveryAnswer {
  /** Absent where there was no answer. */
  status?: number;
  /** The start of the answer, or why there was none. */
  excerpt: string;
  tookMs: number;
}

/** An attempt at a delivery that failed. */
export interface FailedAttempt extends DeliveryAnswer {
  atMs: EpochMs;
}

export interface Delivery {
  id: DeliveryId;
  webhookId: WebhookId;
  eventId: EventId;
  eventType: WebhookEventType;
  callId?: CallId;
  status: DeliveryStatus;
  attempts: number;
  createdAtMs: EpochMs;
  lastAttemptAtMs?: EpochMs;
  nextAttemptAtMs?: EpochMs;
  answer?: DeliveryAnswer;
  /** In their order; of very many the latest alone. */
  failedAttempts: readonly FailedAttempt[];
}

/** A delivery with everything that sending it needs. */
export interface DueDelivery {
  delivery: Delivery;
  webhook: Webhook;
  event: WebhookEvent;
  /** The secrets that sign it, the current one first. */
  secrets: readonly string[];
}

/** What became of an attempt. */
export type AttemptResult =
  | { kind: "delivered"; answer: DeliveryAnswer }
  /** `nextAttemptAtMs` is absent when it is not attempted any more. */
  | { kind: "failed"; answer: DeliveryAnswer; nextAttemptAtMs?: EpochMs | undefined; isGone: boolean };

export interface DeliveryQuery {
  status?: DeliveryStatus | undefined;
  eventType?: WebhookEventType | undefined;
  callId?: CallId | undefined;
  createdFromMs?: EpochMs | undefined;
  createdBeforeMs?: EpochMs | undefined;
  afterDeliveryId?: DeliveryId | undefined;
  /** At least 1. */
  limit: number;
}

/**
 * Webhooks, the events for them, and the deliveries. The stores of other facts write events and deliveries in the
 * transaction of the fact, so that none is lost and none is invented. Operations on one webhook are undefined for
 * unknown ids and for those of other accounts, and reject with `unavailable` when the store cannot answer at present.
 * `act` is recorded in the audit log, in the same transaction; without it the service itself acts.
 */
export interface WebhookStore extends Resealable {
  /** The secret is returned here and nowhere else. Undefined where the account has WEBHOOKS_MAX. */
  create(
    accountId: AccountId,
    settings: WebhookSettings,
    act?: Act,
  ): Promise<{ webhook: Webhook; secret: string } | undefined>;
  get(accountId: AccountId, id: WebhookId): Promise<Webhook | undefined>;
  /** All webhooks of the account, oldest first. */
  list(accountId: AccountId): Promise<readonly Webhook[]>;
  /** Enabling a webhook forgets its failures. Deliveries that wait go to the new URL. */
  update(accountId: AccountId, id: WebhookId, changes: WebhookChanges, act?: Act): Promise<Webhook | undefined>;
  /** Nothing is sent and nothing shown from now on; `deleteRemoved` deletes it. Returns false where there was none. */
  remove(accountId: AccountId, id: WebhookId, act?: Act): Promise<boolean>;
  /** Makes another secret; the previous one signs too for `overlapMs`. */
  rotateSecret(
    accountId: AccountId,
    id: WebhookId,
    overlapMs: number,
    act?: Act,
  ): Promise<{ webhook: Webhook; secret: string } | undefined>;
  /** Deliveries, newest first, and whether others follow. */
  listDeliveries(
    accountId: AccountId,
    id: WebhookId,
    query: DeliveryQuery,
  ): Promise<{ deliveries: readonly Delivery[]; more: boolean } | undefined>;
  getDelivery(accountId: AccountId, id: WebhookId, deliveryId: DeliveryId): Promise<Delivery | undefined>;
  /** An event that was made for webhooks of the account. */
  getEvent(accountId: AccountId, id: EventId): Promise<WebhookEvent | undefined>;
  /**
   * Makes deliveries that are over due again: those with these ids, or up to `query.limit` that match. Returns how many
   * and whether others follow.
   */
  replay(
    accountId: AccountId,
    id: WebhookId,
    which: { ids: readonly DeliveryId[] } | { query: DeliveryQuery },
  ): Promise<{ replayed: number; last?: DeliveryId; more: boolean } | undefined>;

  /** For the sender: a delivery that is still to be sent; undefined otherwise, and where its webhook is disabled. */
  due(id: DeliveryId): Promise<DueDelivery | undefined>;
  /** For the sender: a delivery that is not due any more has failed, unless it was delivered. It can be replayed. */
  abandon(id: DeliveryId): Promise<void>;
  /**
   * Notes for which webhooks at least so many deliveries wait: until fewer do, further events are stored for them as failed
   * deliveries, which can be replayed. Returns those for which this is new.
   */
  noteFull(deliveriesMax: number): Promise<readonly WebhookId[]>;
  /**
   * Stores the result of an attempt. Returns why the webhook is disabled, where this attempt was the reason.
   */
  recordAttempt(id: DeliveryId, result: AttemptResult): Promise<DisabledReason | undefined>;
  /** Deletes deliveries of removed webhooks, and those themselves, a limited number. Returns how many. */
  deleteRemoved(): Promise<number>;
  /** Deletes events and deliveries that are over and were created before this time, a limited number. Returns how many. */
  deleteOld(createdBeforeMs: EpochMs): Promise<number>;
}
