import type { Clock } from "../../core/clock.ts";
import type { SeededIds } from "./ids.ts";
import type { MediaStreams } from "./media-streams.ts";
import type { Leg, NetworkObserver, TelephoneNetwork } from "./network.ts";
import type { Endpoint, RestRequest, RestResponse } from "./rest/endpoint.ts";
import type { WebhookSender } from "./webhook-sender.ts";

/** What an emulated carrier is made of. */
export interface CarrierParts {
  readonly clock: Clock;
  readonly ids: SeededIds;
  /** Of the account, its numbers and its applications: the same whatever the seed, so that a customer finds them after a restart. */
  readonly accountIds: SeededIds;
  readonly network: TelephoneNetwork;
  readonly webhooks: WebhookSender;
  readonly streams: MediaStreams;
  /** E.164: the numbers of the account. */
  readonly numbers: readonly string[];
  /** Given by the user; what is missing is the same at each start. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** Where calls to a number go. */
export interface NumberWebhooks {
  readonly voiceUrl: string;
  readonly statusUrl?: string;
}

/** A call that the customer has placed by REST: what really happened, whatever the customer was answered. */
export interface PlacedCall {
  readonly leg: Leg;
  /** As the carrier names it. */
  readonly carrierCallId: string;
  readonly from: string;
  readonly to: string;
  /** All addresses of the customer in the order, by which it knows the call again. */
  readonly urls: readonly string[];
  readonly clientState?: string;
  readonly commandId?: string;
}

/** One carrier on the emulated network: its REST API, its webhooks and its ids. */
export interface EmulatedCarrier extends NetworkObserver {
  readonly endpoints: readonly Endpoint[];
  /** By the names that the carrier gives them. */
  readonly credentials: Readonly<Record<string, string>>;
  /** What the customer has ordered by REST, in order. */
  readonly placed: readonly PlacedCall[];
  /** The refusal of a request without valid credentials; undefined for one with them. */
  unauthorized(request: Omit<RestRequest, "params">): RestResponse | undefined;
  /** An error as the carrier writes it. */
  errorOf(status: number): RestResponse;
  callIdOf(leg: Leg): string;
  setWebhooks(number: string, webhooks: NumberWebhooks): void;
  /** A person calls a number of the account. */
  incoming(leg: Leg): void;
}

/** Makes an emulated carrier. */
export type CreateCarrier = (parts: CarrierParts) => EmulatedCarrier;

/** From an attempt at a webhook to the next, and until one counts as failed. */
export interface WebhookManners {
  readonly retryAfterMs: readonly number[];
  readonly timeoutMs: number;
}
