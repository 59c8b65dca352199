import type { CallInstruction, CarrierAnswer, Exchange, FoundCall } from "../carriers/telephony.ts";
import type { Clock } from "../core/clock.ts";
import { millisecondsOf } from "../core/clocks.ts";
import type { AccountId, CallId, CarrierId } from "../core/ids.ts";
import {
  CONNECT_TRIES_MAX,
  FIND_CALL_SINCE_MS,
  PHONE_CALL_JOB_MS_MAX,
  TRANSFER_TRIES_MAX,
} from "../core/limits/phone/phone-calls.ts";
import type { Logger } from "../core/log/logger.ts";
import { JobFailure, type JobHandler } from "../jobs/handler.ts";
import type { ClaimedJob } from "../store/job-store.ts";
import type { PhoneCallStore, StoredPhoneCall } from "../store/telephony/phone-call-store.ts";
import type { CarrierClient } from "./carrier-client.ts";
import type { CarrierCommand } from "./machine/commands.ts";
import { isWanted } from "./machine/step.ts";
import { callUrlOf, dialOrderOf, stateOf, transferOf } from "./orders.ts";
import type { CarrierAccess, PhoneCalls } from "./phone-calls.ts";
import type { PhoneCallJob } from "./stored-step.ts";

export interface PhoneCallJobsOptions {
  phoneCalls: PhoneCalls;
  store: Pick<PhoneCallStore, "get" | "findByCarrierCall">;
  client: CarrierClient;
  /** The address at which carriers reach the service, without a slash at its end. */
  publicUrl: string;
  clock: Clock;
  log: Logger;
}

interface Ask extends CarrierAccess {
  call: StoredPhoneCall;
  attempt: number;
}

/** About a call whose record may have been deleted. */
interface HangUp extends CarrierAccess {
  call: { callId: CallId; accountId: AccountId | undefined; carrierCallId?: string };
  attempt: number;
}

/**
 * Asks carriers for what calls need. A job may run twice: the machine decides each time whether its command is still wanted, and the
 * request to dial is sent only by the run that the machine has allowed it, once.
 */
export class PhoneCallJobs implements JobHandler {
  readonly attemptMsMax = PHONE_CALL_JOB_MS_MAX;
  readonly retryDelaysMs = [
    1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000,
  ];
  readonly #options: PhoneCallJobsOptions;

  constructor(options: PhoneCallJobsOptions) {
    this.#options = options;
  }

  async run(job: ClaimedJob): Promise<void> {
    const { payload, attempt } = job;
    const { store, phoneCalls, clock } = this.#options;
    const { callId, command } = payload as PhoneCallJob;
    if (command.kind === "hang-up") return await this.#hangUp(job, command.carrierCallId);
    const call = await store.get(callId);
    if (call === undefined || !isWanted(stateOf(call), command, clock.epochMs())) return;
    const access = await phoneCalls.accessOf(call);
    if (access === undefined) return;
    await this.#ask({ ...access, call, attempt }, command);
  }

  async #hangUp({ payload, accountId, attempt }: ClaimedJob, carrierCallId: string): Promise<void> {
    const { callId, carrierId = await this.#carrierOf(callId) } = payload as Partial<PhoneCallJob> & { callId: CallId };
    const access = await this.#options.phoneCalls.accessOf({ carrierId });
    if (access === undefined) return;
    const hangUp: HangUp = { ...access, call: { callId, accountId, carrierCallId }, attempt };
    await this.#untilDone(hangUp, access.telephony.hangUp(access.credentials, carrierCallId));
  }

  /** Jobs of an earlier version do not name the carrier. */
  async #carrierOf(callId: CallId): Promise<CarrierId> {
    const call = await this.#options.store.get(callId);
    if (call !== undefined) return call.carrierId;
    throw new JobFailure("neither the job nor a stored call names the carrier", "never");
  }

  async #ask(ask: Ask, command: Exclude<CarrierCommand, { kind: "hang-up" }>): Promise<void> {
    switch (command.kind) {
      case "dial":
        return await this.#dial(ask, command.attempt);
      case "find-calls":
        return await this.#findCalls(ask, command.ask);
      case "connect":
        return await this.#connect(ask, command);
      case "transfer":
        return await this.#transfer(ask, command);
      case "refuse":
        return await this.#refuse(ask, command.isAnswered);
      case "read-price":
        return await this.#readPrice(ask);
    }
  }

  async #dial(ask: Ask, attempt: number): Promise<void> {
    const { phoneCalls, publicUrl } = this.#options;
    const { call, carrier, telephony, credentials } = ask;
    const { callId } = call;
    // What cannot be asked for fails here, before the service may have asked.
    const exchange = telephony.dial(credentials, dialOrderOf(publicUrl, carrier, call));
    const handled = await phoneCalls.handle(callId, { kind: "dial-due", attempt });
    if (handled?.commands.some(({ kind }) => kind === "send-dial") !== true) return;
    const answer = await this.#send(ask, exchange);
    await phoneCalls.handle(callId, { kind: "dial-answered", attempt, answer });
  }

  async #findCalls(ask: Ask, number: number): Promise<void> {
    const { phoneCalls, publicUrl } = this.#options;
    const { call, carrier, telephony, credentials } = ask;
    const { phase } = stateOf(call);
    if (phase.at !== "asking") return;
    const sinceMs = millisecondsOf(phase.sentAtMs) - FIND_CALL_SINCE_MS;
    const order = dialOrderOf(publicUrl, carrier, call);
    const answer = await this.#send(ask, telephony.findCalls(credentials, order, sinceMs));
    const known = answer.kind === "done" ? await this.#withoutOthers(call, answer) : answer;
    await phoneCalls.handle(call.callId, { kind: "calls-found", ask: number, answer: known });
  }

  /** Without calls that are known to be others: by their id of a call, or because another call of this service has them. */
  async #withoutOthers(
    { callId, carrierId }: StoredPhoneCall,
    answer: CarrierAnswer<{ calls: readonly FoundCall[]; isComplete: boolean }> & { kind: "done" },
  ): Promise<typeof answer> {
    const calls: FoundCall[] = [];
    for (const found of answer.value.calls) {
      if (found.callId === undefined) {
        const owner = await this.#options.store.findByCarrierCall(carrierId, found.carrierCallId);
        if (owner !== undefined && owner.callId !== callId) continue;
      } else if (found.callId !== callId) continue;
      calls.push(found);
    }
    return { kind: "done", value: { ...answer.value, calls } };
  }

  async #connect(ask: Ask, command: Extract<CarrierCommand, { kind: "connect" }>): Promise<void> {
    const { phoneCalls } = this.#options;
    const { connect, isAnswered } = command;
    const stream = await phoneCalls.streamOf(ask.call, ask);
    // Its stream is connected, whatever the answers to earlier attempts were; or the worker is gone, and the deadline comes.
    if (stream === undefined) return;
    const answer = await this.#instruct(
      ask,
      stream,
      `${isAnswered ? "connect" : "answer-and-connect"}-${connect}`,
      isAnswered,
    );
    if (answer.kind === "busy" || answer.kind === "uncertain") this.#again(ask, answer, CONNECT_TRIES_MAX);
    await phoneCalls.handle(ask.call.callId, { kind: "connect-answered", connect, answer });
  }

  async #transfer(ask: Ask, command: Extract<CarrierCommand, { kind: "transfer" }>): Promise<void> {
    const { phoneCalls, publicUrl } = this.#options;
    const { transfer, target } = command;
    const instruction = transferOf(publicUrl, ask.carrier, ask.call, transfer, target);
    const answer = await this.#instruct(ask, instruction, `transfer-${transfer}`, true);
    // The carrier fetches one address, at the end of the stream, however often it is given that.
    if (answer.kind === "uncertain" && ask.telephony.waitsForStreamEnd) this.#again(ask, answer, TRANSFER_TRIES_MAX);
    await phoneCalls.handle(ask.call.callId, { kind: "transfer-answered", transfer, answer });
  }

  async #refuse(ask: Ask, isAnswered: boolean): Promise<void> {
    const instruction = await this.#options.phoneCalls.refusalOf(ask.call);
    const answer = await this.#instruct(ask, instruction, isAnswered ? "refuse" : "answer-and-refuse", isAnswered);
    if (answer.kind === "busy" || answer.kind === "uncertain") this.#again(ask, answer, CONNECT_TRIES_MAX);
  }

  async #readPrice(ask: Ask): Promise<void> {
    const { carrierCallId, callId } = ask.call;
    if (carrierCallId === undefined || ask.telephony.readPrice === undefined) return;
    const answer = await this.#untilDone(ask, ask.telephony.readPrice(ask.credentials, carrierCallId));
    await this.#options.phoneCalls.handle(callId, { kind: "price-read", answer });
  }

  async #instruct(
    ask: Ask,
    instruction: CallInstruction,
    name: string,
    isAnswered: boolean,
  ): Promise<CarrierAnswer<undefined>> {
    const { call, carrier, telephony, credentials } = ask;
    if (call.carrierCallId === undefined) return { kind: "gone" };
    const documentUrl = callUrlOf(this.#options.publicUrl, carrier, call, `instructions/${name}`);
    const options = { commandId: `${call.callId}-${name}`, isAnswered, documentUrl };
    return await this.#send(ask, telephony.instruct(credentials, call.carrierCallId, instruction, options));
  }

  /** Fails the attempt while the carrier does nothing, or may have done nothing. */
  async #untilDone<Value>(ask: Ask | HangUp, exchange: Exchange<Value>): Promise<CarrierAnswer<Value>> {
    const answer = await this.#send(ask, exchange);
    if (answer.kind === "busy" || answer.kind === "uncertain") this.#again(ask, answer, Number.POSITIVE_INFINITY);
    return answer;
  }

  #again({ attempt }: Ask | HangUp, answer: CarrierAnswer<unknown>, triesMax: number): void {
    if (attempt >= triesMax) return;
    const retry = answer.kind === "busy" && answer.afterMs !== undefined ? { afterMs: answer.afterMs } : "planned";
    throw new JobFailure(`the carrier's answer is ${answer.kind}`, retry);
  }

  async #send<Value>({ call, carrier }: Ask | HangUp, exchange: Exchange<Value>): Promise<CarrierAnswer<Value>> {
    const answer = await this.#options.client.send(carrier.carrier, exchange);
    const { callId, accountId, carrierCallId } = call;
    const { operation } = exchange.request;
    this.#options.log.info(
      { callId, accountId, carrierCallId, operation, answer: answer.kind },
      "carrier was asked for a telephone call",
    );
    return answer;
  }
}
