import type { CallInstruction, CarrierCredentials, CarrierTelephony, Exchange } from "../carriers/telephony.ts";
import type { AccountLimits } from "../core/accounts/account-settings.ts";
import type { MediaState, PhoneRequest, PhoneUpdate } from "../core/calls/phone-requests.ts";
import type { EndReason } from "../core/calls/reasons.ts";
import type { CarrierType } from "../core/calls/spec.ts";
import type { Clock } from "../core/clock.ts";
import { codeOf, unavailable } from "../core/errors.ts";
import type { AccountId, CallId, WorkerId } from "../core/ids.ts";
import { KeyedQueue } from "../core/keyed-queue.ts";
import {
  DUE_CALLS_PER_QUERY,
  DUE_INTERVAL_MS,
  PHONE_CALLS_WAITING_ACCOUNT_MAX,
  PHONE_CALLS_WAITING_MAX,
  RESTART_GRACE_MS,
  STEP_TRIES_MAX,
} from "../core/limits/phone/phone-calls.ts";
import type { Logger } from "../core/log/logger.ts";
import type { CallStore } from "../store/calls/call-store.ts";
import type { Carrier, CarrierStore } from "../store/telephony/carrier-store.ts";
import type {
  NewPhoneCall,
  PhoneCallCreation,
  PhoneCallStore,
  StoredPhoneCall,
} from "../store/telephony/phone-call-store.ts";
import type { PhoneNumberStore } from "../store/telephony/phone-number-store.ts";
import type { CarrierClient } from "./carrier-client.ts";
import type { PhoneCallCommand } from "./machine/commands.ts";
import type { PhoneCallEvent } from "./machine/events.ts";
import { dueMs, inboundCall, isOver, type NewCallOptions, outboundCall } from "./machine/state.ts";
import { step } from "./machine/step.ts";
import { callUrlOf, refusalOf, stateOf, transferOf } from "./orders.ts";
import { requestRefusal } from "./request-refusals.ts";
import type { PhoneCallSlots, SlotAnswer } from "./slots.ts";
import { storedStepOf } from "./stored-step.ts";
import type { StreamAddresses } from "./streams.ts";

export interface PhoneCallsOptions {
  phoneCalls: PhoneCallStore;
  calls: Pick<CallStore, "get">;
  carriers: Pick<CarrierStore, "open">;
  numbers: Pick<PhoneNumberStore, "get">;
  limitsOf: (accountId: AccountId) => Promise<AccountLimits | undefined>;
  client: CarrierClient;
  /** Undefined for a carrier whose calls the service does not manage. */
  telephonyOf: (carrier: CarrierType) => CarrierTelephony | undefined;
  /** Informs the worker of a call; false where it does not have the call, or cannot send its digits now. Never rejects. */
  phoneUpdate: (workerId: WorkerId, callId: CallId, update: PhoneUpdate) => Promise<boolean>;
  slots: PhoneCallSlots;
  streams: StreamAddresses;
  /** The address at which carriers reach the service, without a slash at its end. */
  publicUrl: string;
  clock: Clock;
  log: Logger;
}

/** An account at a carrier with its credentials and what its API can do. */
export interface CarrierAccess {
  carrier: Carrier;
  credentials: CarrierCredentials;
  telephony: CarrierTelephony;
}

/** What came of an event. */
export interface HandledEvent {
  call: StoredPhoneCall;
  commands: readonly PhoneCallCommand[];
  /** Settles when the worker knows what it has to. */
  informed: Promise<void>;
}

interface Progress {
  call: StoredPhoneCall;
  commands: PhoneCallCommand[];
}

/** What became of a request; `reason` is a sentence without numbers. */
export type RequestOutcome =
  | { kind: "accepted" }
  /** `isInvalid`: whatever state the call is in. */
  | { kind: "refused"; reason: string; isInvalid: boolean };

/**
 * The telephone side of calls: their machines with a store, a carrier and a worker around each. The events of one call are handled one
 * after another, each stored before anything is done because of it.
 */
export class PhoneCalls {
  readonly #options: PhoneCallsOptions;
  readonly #queue = new KeyedQueue<CallId>();
  #isStopped = false;

  constructor(options: PhoneCallsOptions) {
    this.#options = options;
  }

  /** Handles deadlines from now on, once workers have had the time to report. */
  start(): void {
    this.#options.clock.after(RESTART_GRACE_MS, () => void this.#handleDue());
  }

  /** Begins nothing more; resolves when what has begun is done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#queue.idle();
  }

  /** Stores an outbound call, which is dialled when it gets a slot. Rejects as the store does. */
  async place(
    call: Omit<NewPhoneCall, "status" | "waitingMax" | "state" | "events" | "dueAtMs">,
    { ringMsMax, carrier }: { ringMsMax: number; carrier: CarrierType },
  ): Promise<PhoneCallCreation> {
    const telephony = this.#options.telephonyOf(carrier);
    if (telephony === undefined) throw new Error(`${carrier} has no calls that the service manages`);
    const nowMs = this.#options.clock.epochMs();
    const state = outboundCall({ ringMsMax, ...waysOf(telephony) }, nowMs);
    const creation = await this.#options.phoneCalls.create({
      ...call,
      status: "queued",
      waitingMax: { carrier: PHONE_CALLS_WAITING_MAX, account: PHONE_CALLS_WAITING_ACCOUNT_MAX },
      state,
      events: [],
      dueAtMs: dueMs(state),
    });
    if (creation.kind === "created") this.#handleLater(creation.call.id, { kind: "tick" });
    return creation;
  }

  /** See `PhoneCallStore.findRepeated`. */
  findRepeated(call: Pick<NewPhoneCall, "accountId" | "idempotency">): Promise<PhoneCallCreation | undefined> {
    return this.#options.phoneCalls.findRepeated(call);
  }

  /** Stores an inbound call, or finds that of an earlier webhook; the notice is still to be handled. */
  async receive(
    call: Omit<NewPhoneCall, "status" | "waitingMax" | "state" | "events" | "dueAtMs"> & { carrierCallId: string },
    telephony: CarrierTelephony,
  ): Promise<PhoneCallCreation> {
    const nowMs = this.#options.clock.epochMs();
    const state = inboundCall({ ringMsMax: 0, ...waysOf(telephony) }, call.carrierCallId, nowMs);
    return await this.#options.phoneCalls.create({
      ...call,
      status: "ringing",
      state,
      events: [],
      dueAtMs: dueMs(state),
    });
  }

  /** Handles an event after all earlier ones of its call. Undefined for an unknown call. Rejects as the store does. */
  async handle(callId: CallId, event: PhoneCallEvent): Promise<HandledEvent | undefined> {
    const progress = await this.#queue.run(callId, async () => {
      const call = await this.#options.phoneCalls.get(callId);
      if (call === undefined) return undefined;
      const started: Progress = { call, commands: [] };
      await this.#advance(started, event);
      return started;
    });
    if (progress === undefined) return undefined;
    return { ...progress, informed: this.#doAside(progress) };
  }

  /** The carrier asks what follows the stream of this connection. Rejects as the stores do. */
  async streamOver({ accountId, callId }: StoredPhoneCall, connect: number): Promise<HandledEvent | undefined> {
    const record = await this.#options.calls.get(accountId, callId);
    const hasConnected = record?.status === "active" || record?.endReason !== undefined;
    return await this.handle(callId, { kind: "stream-over", connect, hasConnected });
  }

  /** The record of a call has ended. Does nothing for a call without a telephone side. */
  recordEnded(callId: CallId, reason: EndReason): void {
    this.#handleLater(callId, { kind: "record-ended", reason });
  }

  /** A worker reports the stream of one of its calls. */
  mediaChanged(callId: CallId, state: MediaState): void {
    this.#handleLater(callId, { kind: state === "attached" ? "media-attached" : "media-lost" });
  }

  /** The agent of a call wants something of the telephone network. */
  phoneRequested(callId: CallId, workerId: WorkerId, request: PhoneRequest): void {
    this.#run(callId, async () => {
      const outcome = await this.request(callId, request, "agent_hangup");
      if (outcome?.kind !== "refused") return;
      await this.#options.phoneUpdate(workerId, callId, {
        kind: "refused",
        request: request.kind,
        reason: outcome.reason,
      });
    });
  }

  /** The agent or a program wants something of the telephone network. Undefined for an unknown call. */
  async request(callId: CallId, request: PhoneRequest, hangUpReason: EndReason): Promise<RequestOutcome | undefined> {
    const call = await this.#options.phoneCalls.get(callId);
    const access = call && (await this.accessOf(call));
    if (call === undefined || access === undefined) return undefined;
    const reason = requestRefusal(request, call, access);
    if (reason !== undefined) return { kind: "refused", reason, isInvalid: true };
    const handled = await this.handle(callId, eventOf(request, hangUpReason));
    if (handled === undefined) return undefined;
    for (const command of handled.commands) {
      if (command.kind === "refuse-request") return { kind: "refused", reason: command.reason, isInvalid: false };
      if (command.kind === "send-dtmf" && !(await this.#sendDtmf(handled.call, access, command.digits)))
        return { kind: "refused", reason: DIGITS_NOT_SENT, isInvalid: false };
    }
    return { kind: "accepted" };
  }

  /** Whether the carrier may still have to be asked what to do with the call, although its record has ended. */
  async needsCarrier(callId: CallId): Promise<boolean> {
    const call = await this.#options.phoneCalls.get(callId);
    return call !== undefined && !isOver(stateOf(call));
  }

  /** Undefined where the carrier was deleted, which no call that is not over allows. */
  async accessOf({ carrierId }: Pick<StoredPhoneCall, "carrierId">): Promise<CarrierAccess | undefined> {
    const opened = await this.#options.carriers.open(carrierId);
    const telephony = opened && this.#options.telephonyOf(opened.carrier.carrier);
    return opened && telephony && { ...opened, telephony };
  }

  /**
   * The answer to a webhook after which these commands were given; undefined where it needs none. Rejects with `unavailable` where the
   * worker of a caller who comes back is not connected: the carrier asks again.
   */
  async instructionOf({ call, commands }: HandledEvent, access: CarrierAccess): Promise<CallInstruction | undefined> {
    let instruction: CallInstruction | undefined;
    for (const command of commands) {
      if (command.kind === "repeat-connect" || (command.kind === "connect" && command.by === "document")) {
        instruction = await this.streamOf(call, access);
        if (instruction !== undefined) continue;
        if (stateOf(call).phase.at === "returning") throw unavailable("the worker of this call is not connected");
        if (command.kind === "connect") instruction = { kind: "hang_up" };
      } else if (command.kind === "transfer-by-document") instruction = this.#transferOf(call, access);
      else if (command.kind === "refuse" && command.by === "document") instruction = await this.refusalOf(call);
      else if (command.kind === "hang-up-by-document") instruction = { kind: "hang_up" };
    }
    return instruction;
  }

  /** Connects the stream that the call waits for; undefined where it waits for none. */
  async streamOf(
    call: StoredPhoneCall,
    { carrier, telephony, credentials }: CarrierAccess,
  ): Promise<CallInstruction | undefined> {
    const stream = await this.#options.streams.orderOf(call, carrier.carrier, telephony, credentials);
    if (stream === undefined) return undefined;
    const path = `after-stream/${stream.connect}`;
    return { kind: "stream", stream: { ...stream, afterUrl: callUrlOf(this.#options.publicUrl, carrier, call, path) } };
  }

  /** The transfer that is going on; undefined where there is none. */
  #transferOf(call: StoredPhoneCall, { carrier }: CarrierAccess): CallInstruction | undefined {
    const { phase } = stateOf(call);
    if (phase.at !== "transferring" && phase.at !== "leaving") return undefined;
    const { number, target } = phase.transfer;
    return transferOf(this.#options.publicUrl, carrier, call, number, target);
  }

  /** Says that the call cannot go on. */
  async refusalOf({ accountId, phoneNumberId }: StoredPhoneCall): Promise<CallInstruction> {
    return refusalOf(phoneNumberId && (await this.#options.numbers.get(accountId, phoneNumberId)));
  }

  /** Handles an event, and what follows from it at once. */
  async #advance(progress: Progress, event: PhoneCallEvent): Promise<void> {
    const commands = await this.#step(progress, event);
    progress.commands.push(...commands);
    for (const command of commands) {
      if (command.kind === "reserve-slot") await this.#reserveSlot(progress);
      else if (command.kind === "release-slot") this.#options.slots.release(progress.call);
      else if (command.kind === "check-record") await this.#checkRecord(progress);
    }
  }

  /** One step of the machine, stored; again where another process was faster. */
  async #step(progress: Progress, event: PhoneCallEvent): Promise<readonly PhoneCallCommand[]> {
    const { phoneCalls, clock } = this.#options;
    const { callId } = progress.call;
    for (let tries = 0; tries < STEP_TRIES_MAX; tries += 1) {
      const { call } = progress;
      const before = stateOf(call);
      const nowMs = clock.epochMs();
      const result = step(before, event, nowMs);
      const { state, commands } = result;
      if (state === before && commands.length === 0) return [];
      const connects = state.connects !== before.connects;
      const token = connects && state.phase.at === "answered" ? this.#options.streams.newToken(call) : undefined;
      const stored = storedStepOf(call, before, event, result, nowMs, token);
      if (await phoneCalls.step(callId, call.eventCount, stored)) {
        const { carrierCallId } = state;
        progress.call = {
          ...call,
          state,
          eventCount: call.eventCount + 1,
          ...(carrierCallId !== undefined && { carrierCallId }),
        };
        this.#logStep(progress.call, event, before.phase.at);
        return commands;
      }
      const latest = await phoneCalls.get(callId);
      if (latest === undefined) return [];
      progress.call = latest;
    }
    throw unavailable("another process handles the events of this call");
  }

  async #reserveSlot(progress: Progress): Promise<void> {
    const { slots, numbers, limitsOf } = this.#options;
    const { call } = progress;
    const access = await this.accessOf(call);
    if (access === undefined) return;
    const { accountId, phoneNumberId } = call;
    const number = phoneNumberId && (await numbers.get(accountId, phoneNumberId));
    const owner = { carrier: access.carrier, number, limits: await limitsOf(accountId) };
    await slots.take(call, owner, (answer) => this.#advance(progress, slotEventOf(answer)));
  }

  /** Where the event of a record's end, or the worker's report of a stream, was lost with a process. */
  async #checkRecord(progress: Progress): Promise<void> {
    const { accountId, callId } = progress.call;
    const record = await this.#options.calls.get(accountId, callId);
    if (record === undefined) return;
    const { endReason: reason, status } = record;
    if (reason !== undefined) await this.#advance(progress, { kind: "record-ended", reason });
    else await this.#advance(progress, { kind: "record-checked", isActive: status === "active" });
  }

  /** What is done beside the queue, because it waits for a worker or a carrier. */
  async #doAside({ call, commands }: Progress): Promise<void> {
    for (const command of commands) {
      if (command.kind !== "inform") continue;
      const { update, transfer } = command;
      const { callId, workerId } = call;
      const isInformed = workerId !== undefined && (await this.#options.phoneUpdate(workerId, callId, update));
      if (transfer !== undefined) this.#handleLater(callId, { kind: "worker-informed", transfer, isInformed });
    }
  }

  /**
   * Sent once: digits that come twice are worse than none. False where the worker of a carrier that takes no digits cannot send their
   * tones now; a carrier that takes them is not waited for.
   */
  async #sendDtmf(call: StoredPhoneCall, { telephony, ...access }: CarrierAccess, digits: string): Promise<boolean> {
    const { callId, carrierCallId, workerId } = call;
    if (carrierCallId === undefined) return false;
    if (telephony.sendDtmf !== undefined) {
      const exchange = telephony.sendDtmf(access.credentials, carrierCallId, digits);
      this.#run(callId, () => this.#exchangeDtmf(call, access.carrier, exchange));
      return true;
    }
    const isTaken =
      workerId !== undefined && (await this.#options.phoneUpdate(workerId, callId, { kind: "send-dtmf", digits }));
    if (!isTaken)
      this.#options.log.warn({ callId, carrierCallId }, "digits were not sent: no stream of the call took them");
    return isTaken;
  }

  async #exchangeDtmf(
    { callId, workerId }: StoredPhoneCall,
    carrier: CarrierAccess["carrier"],
    exchange: Exchange<undefined>,
  ): Promise<void> {
    const answer = await this.#options.client.send(carrier.carrier, exchange);
    const handled = await this.handle(callId, { kind: "dtmf-answered", answer });
    for (const command of handled?.commands ?? []) {
      if (command.kind !== "refuse-request" || workerId === undefined) continue;
      const { request, reason } = command;
      await this.#options.phoneUpdate(workerId, callId, { kind: "refused", request, reason });
    }
  }

  async #handleDue(): Promise<void> {
    const { phoneCalls, clock, log } = this.#options;
    if (this.#isStopped) return;
    try {
      const due = await phoneCalls.due(clock.epochMs(), DUE_CALLS_PER_QUERY);
      await Promise.all(due.map((callId) => this.handle(callId, { kind: "tick" })));
    } catch (error) {
      log.error({ err: error, code: codeOf(error) }, "deadlines of telephone calls could not be handled");
    }
    clock.after(DUE_INTERVAL_MS, () => void this.#handleDue());
  }

  #handleLater(callId: CallId, event: PhoneCallEvent): void {
    this.#run(callId, async () => {
      await this.handle(callId, event);
    });
  }

  /** What a failed store does not do now, a deadline of the call does. */
  #run(callId: CallId, work: () => Promise<void>): void {
    if (this.#isStopped) return;
    work().catch((error: unknown) => {
      this.#options.log.error({ callId, err: error, code: codeOf(error) }, "telephone call could not be handled");
    });
  }

  #logStep({ callId, accountId, carrierCallId, state }: StoredPhoneCall, { kind }: PhoneCallEvent, from: string): void {
    const to = stateOf({ state }).phase.at;
    if (from === to) return;
    this.#options.log.info({ callId, accountId, carrierCallId, event: kind, from, to }, "telephone call changed");
  }
}

const DIGITS_NOT_SENT =
  "digits cannot be sent now: the call has no media stream, or the tones of earlier digits are still being sent";

/** How the carrier takes instructions. */
const waysOf = (telephony: CarrierTelephony): Omit<NewCallOptions, "ringMsMax"> => ({
  takesDocuments: telephony.document({ kind: "hang_up" }) !== undefined,
  waitsForStreamEnd: telephony.waitsForStreamEnd === true,
});

const slotEventOf = (answer: SlotAnswer): PhoneCallEvent => {
  if (answer.isGranted) return { kind: "slot-granted" };
  return { kind: "slot-refused", ...(answer.afterMs !== undefined && { afterMs: answer.afterMs }) };
};

function eventOf(request: PhoneRequest, reason: EndReason): PhoneCallEvent {
  switch (request.kind) {
    case "hang_up":
      return { kind: "hang-up-requested", reason };
    case "transfer":
      return { kind: "transfer-requested", target: request.target };
    case "send_dtmf":
      return { kind: "dtmf-requested", digits: request.digits };
  }
}
