import type { CarrierPrice, PhoneCallOutcome } from "../core/calls/phone.ts";
import type { G711Codec } from "../media/g711.ts";

export type { CarrierPrice } from "../core/calls/phone.ts";

// What the service asks of a carrier besides its streams: REST requests, webhooks, and the documents that answer them. All of it is
// pure: a request is data, its answer is read by a function, and `telephony/` sends it.

/** The credentials of one account at a carrier, by the names of `credentialFields`. Never logged. */
export type CarrierCredentials = Readonly<Record<string, string>>;

export interface CredentialField {
  readonly name: string;
  /** No answer and no log ever shows it. */
  readonly isSecret: boolean;
  /** It says which account or application of the carrier the others belong to. */
  readonly isIdentity?: true;
  readonly pattern: RegExp;
  /** Continues the field's name, as in `must be AC and 32 hexadecimal digits`. */
  readonly rule: string;
  /** In Markdown, for the API's document. */
  readonly meaning: string;
  readonly example: string;
}

/** What a request does, in the audit of a call and in metrics. */
export const CARRIER_OPERATIONS = [
  "verify",
  "list_numbers",
  "read_number",
  "attach_number",
  "detach_number",
  "dial",
  "find_call",
  "answer",
  "connect",
  "hang_up",
  "transfer",
  "send_dtmf",
  "read_price",
  // Of an emulator alone.
  "test_call",
] as const;
export type CarrierOperation = (typeof CARRIER_OPERATIONS)[number];

/** One HTTP request to the carrier's API. */
export interface CarrierRequest {
  readonly operation: CarrierOperation;
  readonly method: "GET" | "POST" | "DELETE" | "PATCH";
  /** Follows the address of the carrier's API, with the query: `/2010-04-01/...`. */
  readonly path: string;
  /** With lower-case names; they have the credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface CarrierResponse {
  readonly status: number;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a response says. */
export type CarrierAnswer<Value> =
  | { kind: "done"; value: Value }
  /** The carrier has done nothing. `code` is its own; `outcome` is what that means for a call that was to be placed. */
  | { kind: "refused"; status: number; code: string; outcome?: PhoneCallOutcome }
  /** The call is over, or was never there. */
  | { kind: "gone" }
  /** The carrier has done nothing, and may do it later: 429, or 503 with `Retry-After`; or no connection could be made. */
  | { kind: "busy"; afterMs?: number; isUnreachable?: true }
  /** The request may have been carried out: 5xx, an answer that cannot be read, or none: then `status` is 0. */
  | { kind: "uncertain"; status: number };

/** A request, and how its response is read. */
export interface Exchange<Value> {
  readonly request: CarrierRequest;
  read(response: CarrierResponse): CarrierAnswer<Value>;
}

/** A number that the carrier has given to the account. */
export interface CarrierNumber {
  /** E.164. */
  readonly number: string;
  /** The carrier's id of it: `PN...`, an id, or the number itself. */
  readonly carrierNumberId: string;
}

/** What the carrier does with calls to a number, as `detachNumber` restores it: JSON of at most 4 KiB, opaque to others. */
export type NumberRouting = Readonly<Record<string, unknown>>;

/** The addresses of this service that one call or number uses; each begins with `https://` (or `http://` on this machine). */
export interface CallbackUrls {
  /** Asked when a call comes in, and for an outbound call when it is answered. */
  readonly voice: string;
  /** Gets the states of calls. */
  readonly status: string;
}

export interface DialOrder {
  /** The id of our call, by which the carrier's webhooks and lists are joined to it. */
  readonly callId: string;
  /** E.164, both. */
  readonly to: string;
  readonly from: string;
  readonly ringMsMax: number;
  readonly urls: CallbackUrls;
}

/** A call as the carrier lists it. */
export interface FoundCall {
  readonly carrierCallId: string;
  /** Absent where the carrier's list does not say which order placed it. */
  readonly callId?: string;
  readonly isLive: boolean;
}

/** A stream of audio for one call. */
export interface StreamOrder {
  /** With the token. */
  readonly url: string;
  /** Our id of the call, a parameter of the stream. */
  readonly callId: string;
  /** The streams of a call are numbered 1, 2, ... */
  readonly connect: number;
  /** Only for carriers that send a secret with the stream instead of a signature. */
  readonly authToken?: string;
  /** The codec of audio to the carrier, for those that are asked for it; mu-law where it is absent. */
  readonly outboundCodec?: G711Codec;
  /** Where a carrier that takes documents asks what follows, when the stream is over or could not be connected. */
  readonly afterUrl: string;
}

export interface TransferOrder {
  /** E.164, or a SIP address. */
  readonly target: string;
  /** What the target sees as the caller. */
  readonly from: string;
  readonly ringMsMax: number;
  /** Asked when the target's leg is over or was not answered. */
  readonly resultUrl: string;
}

/** What is to happen with a call from now on. */
export type CallInstruction =
  | { kind: "stream"; stream: StreamOrder }
  | { kind: "transfer"; transfer: TransferOrder }
  /**
   * Says something, or nothing where `text` is absent, and hangs up. `language` is a tag such as `en-GB`. A carrier that cannot speak
   * and hang up by one command only speaks: the call is to be hung up afterwards.
   */
  | { kind: "refuse"; text?: string; language?: string; reason: "busy" | "rejected" }
  | { kind: "hang_up" };

/** The answer to a webhook. */
export interface CarrierDocument {
  readonly contentType: string;
  readonly body: string;
}

/** A webhook as it arrived. */
export interface WebhookRequest {
  readonly method: string;
  /** The address that the carrier called, from the service's configuration and the request's own path and query, byte by byte. */
  readonly url: string;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** What a webhook says. Texts are as the carrier sent them, control characters removed, and at most 256 characters. */
export type CarrierNotice =
  /** A call comes in and waits for an instruction. */
  | { kind: "incoming"; carrierCallId: string; from: string; to: string; headers: Readonly<Record<string, string>> }
  | { kind: "initiated" | "ringing"; carrierCallId: string }
  /**
   * An outbound call was answered; or an inbound one, of a carrier that is instructed by REST only. `awaitsInstruction`: the answer to
   * this webhook is a document for the call.
   */
  | { kind: "answered"; carrierCallId: string; awaitsInstruction: boolean }
  | {
      kind: "ended";
      carrierCallId: string;
      outcome: PhoneCallOutcome;
      /** The carrier's own. */
      code?: string;
      price?: CarrierPrice;
    }
  /** What became of a transfer; the answer to the webhook may be a document. */
  | { kind: "transfer"; carrierCallId: string; outcome: "answered" | "completed" | "busy" | "no_answer" | "failed" }
  /** `connect`: which stream of the call it is, where the carrier returns that. */
  | { kind: "stream"; carrierCallId: string; state: "started" | "stopped" | "failed"; connect?: number }
  /** What a call that is over has cost. */
  | { kind: "price"; carrierCallId: string; price: CarrierPrice }
  /** A webhook that says nothing that the service needs. */
  | { kind: "other" };

/** Calls and numbers of one carrier. */
export interface CarrierTelephony {
  readonly credentialFields: readonly CredentialField[];
  /** The variable with the address of the carrier's API, and its default. */
  readonly apiUrl: { readonly variable: string; readonly value: string };
  /** What calls of this carrier cannot do, with the reason. A request for it is refused when the call is created. */
  readonly missing: Readonly<Partial<Record<"transfer_to_sip", string>>>;
  /** Where a call has a stream, the document of `instruct` is fetched when that has ended, and the service has to end it. */
  readonly waitsForStreamEnd?: true;
  /** The secret by which `signature.isAuthentic` of the carrier's descriptor checks a stream. */
  streamSecret(credentials: CarrierCredentials): string;

  /** A harmless request that only these credentials can make. */
  verify(credentials: CarrierCredentials): Exchange<undefined>;
  /** Numbers of the account, a page of at most 100; `page` is the `nextPage` of the page before. */
  listNumbers(
    credentials: CarrierCredentials,
    page?: string,
  ): Exchange<{ numbers: readonly CarrierNumber[]; nextPage?: string }>;
  readNumber(credentials: CarrierCredentials, number: CarrierNumber): Exchange<NumberRouting>;
  /**
   * The requests, in order, after which calls to the number come to `urls`. Each may use the values of those before it.
   * `current` is what `readNumber` gave.
   */
  attachNumber(
    credentials: CarrierCredentials,
    number: CarrierNumber,
    urls: CallbackUrls,
  ): readonly ((before: readonly unknown[]) => Exchange<unknown>)[];
  /**
   * Whether `routing` is what `attachNumber` sets, with these addresses of the service or earlier ones of the same path; so it is nothing
   * to restore. `attachment` is what `readAttachment` gave.
   */
  isAttachedRouting(
    credentials: CarrierCredentials,
    routing: NumberRouting,
    urls: CallbackUrls,
    attachment: unknown,
  ): boolean;
  /** Absent where nothing has to be asked for that. */
  readAttachment?(credentials: CarrierCredentials, number: CarrierNumber): Exchange<unknown>;
  /** Restores what `readNumber` gave before the number was attached. */
  detachNumber(
    credentials: CarrierCredentials,
    number: CarrierNumber,
    before: NumberRouting,
  ): readonly ((before: readonly unknown[]) => Exchange<unknown>)[];

  dial(credentials: CarrierCredentials, order: DialOrder): Exchange<{ carrierCallId: string }>;
  /** Calls that `order` may have placed since `sinceMs` (Unix time). */
  findCalls(
    credentials: CarrierCredentials,
    order: DialOrder,
    sinceMs: number,
  ): Exchange<{ calls: readonly FoundCall[]; isComplete: boolean }>;
  hangUp(credentials: CarrierCredentials, carrierCallId: string): Exchange<undefined>;
  /** Absent where the carrier takes no digits for a call with a stream: they are tones in the agent's audio. */
  sendDtmf?(credentials: CarrierCredentials, carrierCallId: string, digits: string): Exchange<undefined>;
  /** What the call has cost; undefined while the carrier does not know it yet. Absent where a webhook says it: `price`. */
  readPrice?(credentials: CarrierCredentials, carrierCallId: string): Exchange<CarrierPrice | undefined>;

  /**
   * The answer to a webhook that awaits an instruction; undefined where the carrier takes instructions by REST only, and the
   * webhook is answered with 200 and no body.
   */
  document(instruction: CallInstruction): CarrierDocument | undefined;
  /**
   * Instructs a call by REST. `commandId` is the same at each attempt, for carriers that carry out a command once.
   * `isAnswered`: the call was answered before, by the service or by the person that was called. Where it was not, a carrier may answer
   * an inbound call and do no more: then the notice `answered` follows, and the call is instructed again. `documentUrl` is an address of
   * this service that answers with `document(instruction)`, for carriers that fetch it; by its contents, that webhook may be the
   * `incoming` or `answered` one of the call once more.
   */
  instruct(
    credentials: CarrierCredentials,
    carrierCallId: string,
    instruction: CallInstruction,
    options: { commandId: string; isAnswered: boolean; documentUrl: string },
  ): Exchange<undefined>;

  /** Whether the webhook was sent by who knows these credentials. `nowMs` is Unix time: an old one is not authentic. */
  isAuthenticWebhook(credentials: CarrierCredentials, webhook: WebhookRequest, nowMs: number): boolean;
  /** Throws TrunklineError `webhook_malformed` for a body that the carrier cannot have sent. */
  readWebhook(webhook: WebhookRequest): CarrierNotice;
}
