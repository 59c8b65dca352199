import type {
  CallInstruction,
  CarrierDocument,
  CarrierNotice,
  CarrierTelephony,
  WebhookRequest,
} from "../carriers/telephony.ts";
import type { CallSpec, CarrierType } from "../core/calls/spec.ts";
import type { Clock } from "../core/clock.ts";
import { millisecondsOf } from "../core/clocks.ts";
import type { CallId } from "../core/ids.ts";
import { KeyedQueue } from "../core/keyed-queue.ts";
import { PHONE_ADDRESS_CHARS_MAX, REFUSED_CALLS_KEPT } from "../core/limits/phone/carriers.ts";
import type { Logger } from "../core/log/logger.ts";
import type { CallAgent } from "../store/calls/call-store.ts";
import type { JobStore } from "../store/job-store.ts";
import type { CarrierStore } from "../store/telephony/carrier-store.ts";
import type { PhoneCallStore } from "../store/telephony/phone-call-store.ts";
import type { PhoneNumber, PhoneNumberStore } from "../store/telephony/phone-number-store.ts";
import type { CarrierClient } from "./carrier-client.ts";
import { refusalOf, stateOf, transferOf } from "./orders.ts";
import type { CarrierAccess, HandledEvent, PhoneCalls } from "./phone-calls.ts";
import { jobOf } from "./stored-step.ts";

export interface PhoneWebhooksOptions {
  phoneCalls: PhoneCalls;
  store: Pick<PhoneCallStore, "get" | "findByCarrierCall">;
  carriers: Pick<CarrierStore, "openByWebhookKey">;
  numbers: Pick<PhoneNumberStore, "findOfCarrier">;
  telephonyOf: (carrier: CarrierType) => CarrierTelephony | undefined;
  jobs: Pick<JobStore, "enqueue">;
  client: CarrierClient;
  /** The address at which carriers reach the service, without a slash at its end. */
  publicUrl: string;
  clock: Clock;
  log: Logger;
}

/** What a webhook's address says that it is about. */
export type WebhookSubject =
  /** Calls of a number: any of the carrier's account. */
  | { kind: "account" }
  | { kind: "call"; callId: CallId; transfer?: number }
  /** The carrier asks what follows the stream of this connection of the call. */
  | { kind: "after-stream"; callId: CallId; connect: number }
  /** The carrier fetches what a request to it has announced: `connect-1`, `transfer-1`, ... */
  | { kind: "instruction"; callId: CallId; name: string };

export type IncomingNotice = Extract<CarrierNotice, { kind: "incoming" }>;

/** The configuration of an inbound call, or that it is refused, with a text other than that of the number. */
export type InboundAnswer = { spec: CallSpec; agent: CallAgent } | { refuse: { text?: string | undefined } };

/** Undefined where the number's agent cannot take calls now. */
export type InboundSpec = (number: PhoneNumber, notice: IncomingNotice) => Promise<InboundAnswer | undefined>;

export type WebhookAnswer =
  /** Without a document the answer has no body. */
  | { kind: "done"; document?: CarrierDocument }
  /** No carrier has this address, or the call is not one of its own. */
  | { kind: "unknown" }
  /** It was not signed by who knows the carrier's credentials, or too long ago. */
  | { kind: "forbidden" };

/** Webhooks of carriers. The address names the credentials, and nothing of the body is read before they have proved its sender. */
export class PhoneWebhooks {
  readonly #options: PhoneWebhooksOptions;
  /** By carrier and its call: a webhook that comes again, as they do after some seconds, waits for the first. */
  readonly #arrivals = new KeyedQueue<string>();
  /** Calls that were refused without a record, so that a repeated webhook gets the same answer; the oldest first. */
  readonly #refusals = new Map<string, PhoneNumber>();

  constructor(options: PhoneWebhooksOptions) {
    this.#options = options;
  }

  /**
   * Answers a webhook; `url` of it is the request's own path and query. Throws TrunklineError `webhook_malformed`. Rejects as the
   * stores do.
   */
  async answer(
    webhookKey: string,
    subject: WebhookSubject,
    webhook: WebhookRequest,
    inboundSpec: InboundSpec,
  ): Promise<WebhookAnswer> {
    const access = await this.#accessOf(webhookKey);
    if (access === undefined) return { kind: "unknown" };
    const { telephony, credentials } = access;
    const signed = { ...webhook, url: this.#options.publicUrl + webhook.url };
    const nowMs = millisecondsOf(this.#options.clock.epochMs());
    if (!telephony.isAuthenticWebhook(credentials, signed, nowMs)) return { kind: "forbidden" };
    if (subject.kind === "instruction") return await this.#announced(access, subject.callId, subject.name);
    const notice = telephony.readWebhook(signed);
    if (subject.kind !== "account") return await this.#ofCall(access, subject, notice);
    if (notice.kind === "incoming") {
      const arrival = `${access.carrier.id} ${notice.carrierCallId}`;
      return await this.#arrivals.run(arrival, () => this.#incoming(access, notice, arrival, inboundSpec));
    }
    return await this.#ofAccount(access, notice);
  }

  async #accessOf(webhookKey: string): Promise<CarrierAccess | undefined> {
    const opened = await this.#options.carriers.openByWebhookKey(webhookKey);
    const telephony = opened && this.#options.telephonyOf(opened.carrier.carrier);
    return opened && telephony && { ...opened, telephony };
  }

  /** About a call whose id is in the address. */
  async #ofCall(
    access: CarrierAccess,
    subject: Extract<WebhookSubject, { kind: "call" | "after-stream" }>,
    notice: CarrierNotice,
  ): Promise<WebhookAnswer> {
    const { store, phoneCalls } = this.#options;
    const { callId } = subject;
    const call = await store.get(callId);
    if (call === undefined) return await this.#ofDeletedCall(access, callId, notice);
    if (call.carrierId !== access.carrier.id) return { kind: "unknown" };
    if (subject.kind === "after-stream" && notice.kind !== "ended") {
      return await this.#answerOf(await phoneCalls.streamOver(call, subject.connect), access);
    }
    const transfer = subject.kind === "call" ? subject.transfer : undefined;
    const event = { kind: "notice", notice, ...(transfer !== undefined && { transfer }) } as const;
    return await this.#answerOf(await phoneCalls.handle(callId, event), access);
  }

  /** A call that was given up as `unknown`, and deleted, may ring all the same. */
  async #ofDeletedCall(access: CarrierAccess, callId: CallId, notice: CarrierNotice): Promise<WebhookAnswer> {
    if (notice.kind !== "initiated" && notice.kind !== "ringing" && notice.kind !== "answered")
      return { kind: "unknown" };
    const { jobs, log } = this.#options;
    const { id: carrierId, accountId } = access.carrier;
    const { carrierCallId } = notice;
    log.warn({ callId, accountId, carrierId, carrierCallId }, "telephone call without a record is hung up");
    await jobs.enqueue({ ...jobOf({ callId, carrierId }, { kind: "hang-up", carrierCallId }), accountId });
    const awaitsInstruction = notice.kind === "answered" && notice.awaitsInstruction;
    return documentOf(access, awaitsInstruction ? { kind: "hang_up" } : undefined);
  }

  /** About a call that only the carrier's own id of it names. */
  async #ofAccount(access: CarrierAccess, notice: CarrierNotice): Promise<WebhookAnswer> {
    const { store, phoneCalls } = this.#options;
    if (notice.kind === "other") return { kind: "done" };
    const call = await store.findByCarrierCall(access.carrier.id, notice.carrierCallId);
    if (call === undefined) return { kind: "done" };
    return await this.#answerOf(await phoneCalls.handle(call.callId, { kind: "notice", notice }), access);
  }

  /** A call comes in. The same call is found when its webhook comes again. */
  async #incoming(
    access: CarrierAccess,
    notice: IncomingNotice,
    arrival: string,
    inboundSpec: InboundSpec,
  ): Promise<WebhookAnswer> {
    const { numbers, phoneCalls, store } = this.#options;
    const { carrier, telephony } = access;
    const known = await store.findByCarrierCall(carrier.id, notice.carrierCallId);
    if (known !== undefined) return await this.#ofAccount(access, notice);
    const refused = this.#refusals.get(arrival);
    if (refused !== undefined) return await this.#refuse(access, notice, refused);
    const number = await numbers.findOfCarrier(carrier.id, notice.to);
    const given = number && (await inboundSpec(number, notice));
    if (number === undefined || given === undefined) return await this.#refuse(access, notice, number);
    if ("refuse" in given) {
      const { text: refusalText = number.refusalText } = given.refuse;
      const refusing = { ...number, ...(refusalText !== undefined && { refusalText }) };
      this.#noteRefusal(arrival, refusing);
      return await this.#refuse(access, notice, refusing);
    }
    const creation = await phoneCalls.receive(
      {
        accountId: carrier.accountId,
        agent: given.agent,
        spec: { ...given.spec, connectionType: carrier.carrier, phoneControl: true },
        facts: {
          direction: "inbound",
          from: notice.from.slice(0, PHONE_ADDRESS_CHARS_MAX),
          to: notice.to.slice(0, PHONE_ADDRESS_CHARS_MAX),
          headers: notice.headers,
        },
        carrierId: carrier.id,
        phoneNumberId: number.id,
        carrierCallId: notice.carrierCallId,
      },
      telephony,
    );
    if (creation.kind !== "created" && creation.kind !== "replayed") {
      throw new Error(
        "an inbound call has no idempotency key, does not wait to be dialled and counts for no creations",
      );
    }
    return await this.#answerOf(await phoneCalls.handle(creation.call.id, { kind: "notice", notice }), access);
  }

  #noteRefusal(arrival: string, number: PhoneNumber): void {
    this.#refusals.set(arrival, number);
    const [oldest] = this.#refusals.keys();
    if (this.#refusals.size > REFUSED_CALLS_KEPT && oldest !== undefined) this.#refusals.delete(oldest);
  }

  /** A caller who is not connected hears why: the number is unknown or has no agent. Such a call has no record. */
  async #refuse(
    { carrier, telephony, credentials }: CarrierAccess,
    { carrierCallId }: IncomingNotice,
    number: PhoneNumber | undefined,
  ): Promise<WebhookAnswer> {
    const { client, log, publicUrl } = this.#options;
    log.info({ carrierId: carrier.id, carrierCallId, phoneNumberId: number?.id }, "incoming telephone call refused");
    const refusal = refusalOf(number);
    const document = telephony.document(refusal);
    if (document !== undefined) return { kind: "done", document };
    // Carriers that fetch documents answer webhooks with them, so nothing is fetched here.
    // A carrier that speaks only to a call that was answered rejects this one: no record would end it afterwards.
    const silent = { kind: "refuse", reason: "busy" } as const;
    const options = { commandId: `refuse-${carrierCallId}`, isAnswered: false, documentUrl: publicUrl };
    await client.send(carrier.carrier, telephony.instruct(credentials, carrierCallId, silent, options));
    return { kind: "done" };
  }

  async #answerOf(handled: HandledEvent | undefined, access: CarrierAccess): Promise<WebhookAnswer> {
    if (handled === undefined) return { kind: "unknown" };
    // The agent has to know why the caller comes back before the caller does.
    await handled.informed;
    return documentOf(access, await this.#options.phoneCalls.instructionOf(handled, access));
  }

  /** The document of an instruction, for carriers that fetch it. */
  async #announced(access: CarrierAccess, callId: CallId, name: string): Promise<WebhookAnswer> {
    const call = await this.#options.store.get(callId);
    if (call === undefined || call.carrierId !== access.carrier.id) return { kind: "unknown" };
    const { phase, connects } = stateOf(call);
    const { phoneCalls, publicUrl } = this.#options;
    let instruction: CallInstruction | undefined;
    if (name === `connect-${connects}`) instruction = await phoneCalls.streamOf(call, access);
    else if (name === "refuse" || name === "answer-and-refuse") instruction = await phoneCalls.refusalOf(call);
    else if (phase.at === "transferring" && name === `transfer-${phase.transfer.number}`) {
      instruction = transferOf(publicUrl, access.carrier, call, phase.transfer.number, phase.transfer.target);
    }
    return documentOf(access, instruction);
  }
}

function documentOf({ telephony }: CarrierAccess, instruction: CallInstruction | undefined): WebhookAnswer {
  const document = instruction && telephony.document(instruction);
  return { kind: "done", ...(document !== undefined && { document }) };
}
