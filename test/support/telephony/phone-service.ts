import { CARRIERS } from "../../../src/carriers/list.ts";
import type { CarrierOperation } from "../../../src/carriers/telephony.ts";
import type { PhoneUpdate } from "../../../src/core/calls/phone-requests.ts";
import type { CarrierType } from "../../../src/core/calls/spec.ts";
import { type AccountId, asWorkerId, type CallId, type WorkerId } from "../../../src/core/ids.ts";
import { Capacity } from "../../../src/store/admission/capacity.ts";
import { PHONE_CALL_JOB } from "../../../src/store/job-kinds.ts";
import type { ClaimedJob } from "../../../src/store/job-store.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { Carrier, NewCarrier } from "../../../src/store/telephony/carrier-store.ts";
import type { PhoneNumber } from "../../../src/store/telephony/phone-number-store.ts";
import { PhoneCallJobs } from "../../../src/telephony/carrier-job.ts";
import type { PhoneCallState } from "../../../src/telephony/machine/state.ts";
import { PhoneCalls } from "../../../src/telephony/phone-calls.ts";
import { PhoneCallSlots } from "../../../src/telephony/slots.ts";
import { StreamAddresses } from "../../../src/telephony/streams.ts";
import { PhoneWebhooks } from "../../../src/telephony/webhooks.ts";
import { SPEC } from "../calls/stored-calls.ts";
import { type ManualClock, settled } from "../manual-clock.ts";
import { memoryLog } from "../memory-log.ts";
import { SQLITE } from "../stores/every-store.ts";
import { SEALING_KEYS } from "../stores/keys.ts";
import { mintToken, redeemedBy } from "../tokens.ts";
import { type CarrierScript, ScriptedCarrierClient } from "./scripted-client.ts";
import { createCarrier, importNumber } from "./stored.ts";

export const PUBLIC_URL = "https://api.example";
const WORKER = asWorkerId("worker-1");

const loadOf = (callsMax: number) => ({ callCount: 0, callsMax, loopLagMs: 0, acceptsCalls: true });

/** Telephone calls on a real store, with a scripted carrier and worker. */
export class PhoneService {
  readonly clock: ManualClock;
  readonly stores: Stores;
  readonly accountId: AccountId;
  readonly carrier: Carrier;
  readonly number: PhoneNumber;
  readonly client: ScriptedCarrierClient;
  readonly updates: PhoneUpdate[] = [];
  readonly tokens: string[] = [];
  readonly log = memoryLog();
  /** The worker has the call. */
  isWorkerThere = true;
  phoneCalls: PhoneCalls;
  jobs: PhoneCallJobs;
  capacity: Capacity;
  readonly #slots: number;
  #runner = 0;

  private constructor(options: {
    clock: ManualClock;
    stores: Stores;
    accountId: AccountId;
    carrier: Carrier;
    number: PhoneNumber;
    script: CarrierScript;
    slots: number;
  }) {
    this.clock = options.clock;
    this.stores = options.stores;
    this.accountId = options.accountId;
    this.carrier = options.carrier;
    this.number = options.number;
    this.client = new ScriptedCarrierClient(options.script);
    this.#slots = options.slots;
    this.capacity = this.#newCapacity(options.slots);
    this.phoneCalls = this.#newPhoneCalls();
    this.jobs = this.#newJobs();
  }

  static async open(
    options: { script?: CarrierScript; carrier?: Partial<NewCarrier>; slots?: number } = {},
  ): Promise<PhoneService> {
    const { clock, open } = SQLITE.make();
    const stores = await open({ secretsKeys: SEALING_KEYS, isAuthenticStream: () => true });
    const accountId = await stores.accounts.ensure("first");
    const carrier = await createCarrier(stores, accountId, { callsPerSecond: 100, ...options.carrier });
    const number = await importNumber(stores, carrier, "+12025550100");
    const { script = {}, slots = 10 } = options;
    return new PhoneService({
      clock: clock as ManualClock,
      stores,
      accountId,
      carrier,
      number,
      script: {
        dial: { kind: "done", value: { carrierCallId: "CA1" } },
        hang_up: { kind: "done", value: undefined },
        ...script,
      },
      slots,
    });
  }

  #newCapacity(slots: number): Capacity {
    const capacity = new Capacity({ clock: this.clock, callsPerApiKey: undefined });
    capacity.workerConnected(WORKER, [], loadOf(slots));
    return capacity;
  }

  #newPhoneCalls(): PhoneCalls {
    const { stores, clock, client } = this;
    return new PhoneCalls({
      phoneCalls: stores.phoneCalls,
      calls: stores.calls,
      carriers: stores.openCarriers(SEALING_KEYS),
      numbers: stores.phoneNumbers,
      limitsOf: async () => undefined,
      client,
      telephonyOf,
      phoneUpdate: async (_: WorkerId, __: CallId, update) => {
        this.updates.push(update);
        return this.isWorkerThere;
      },
      slots: new PhoneCallSlots({ capacity: this.capacity, phoneCalls: stores.phoneCalls, clock }),
      streams: new StreamAddresses({
        phoneCalls: stores.phoneCalls,
        keys: SEALING_KEYS,
        mintToken: () => {
          const token = mintToken();
          this.tokens.push(token);
          return token;
        },
        urlOf: (carrier, token) => `wss://media.example/${carrier}/${token}`,
        resumeAddress: async () =>
          this.isWorkerThere ? `wss://media.example/resume/${this.updates.length}` : undefined,
      }),
      publicUrl: PUBLIC_URL,
      clock,
      log: this.log.log,
    });
  }

  #newJobs(): PhoneCallJobs {
    return new PhoneCallJobs({
      phoneCalls: this.phoneCalls,
      store: this.stores.phoneCalls,
      client: this.client,
      publicUrl: PUBLIC_URL,
      clock: this.clock,
      log: this.log.log,
    });
  }

  /** The control process dies, and another one starts: what is in memory is lost. */
  async restart(): Promise<void> {
    await this.phoneCalls.stop();
    this.phoneCalls = this.#newPhoneCalls();
    this.jobs = this.#newJobs();
  }

  /** What answers the carriers' webhooks. */
  webhooks(): PhoneWebhooks {
    const { phoneCalls, stores, client, clock } = this;
    return new PhoneWebhooks({
      phoneCalls,
      store: stores.phoneCalls,
      carriers: stores.openCarriers(SEALING_KEYS),
      numbers: stores.phoneNumbers,
      jobs: stores.jobs,
      telephonyOf,
      client,
      publicUrl: PUBLIC_URL,
      clock,
      log: this.log.log,
    });
  }

  /** Places a call; its id. */
  async place(to = "+12025550123"): Promise<CallId> {
    const { accountId, carrier, number } = this;
    const creation = await this.phoneCalls.place(
      {
        accountId,
        spec: { ...SPEC, connectionType: carrier.carrier, phoneControl: true },
        facts: { direction: "outbound", from: number.number, to },
        carrierId: carrier.id,
        phoneNumberId: number.id,
      },
      { ringMsMax: 30_000, carrier: carrier.carrier },
    );
    if (creation.kind !== "created") throw new Error(creation.kind);
    await this.#idle(creation.call.id);
    return creation.call.id;
  }

  /** What has begun for this call is done. */
  async #idle(callId: CallId): Promise<void> {
    await this.phoneCalls.handle(callId, { kind: "tick" });
    await settled();
  }

  /** Runs the jobs that are due, until none is; those that fail once are due later. */
  async work(): Promise<void> {
    for (;;) {
      const jobs = await this.claim();
      if (jobs.length === 0) return;
      for (const job of jobs) await this.run(job);
    }
  }

  async claim(): Promise<readonly ClaimedJob[]> {
    this.#runner += 1;
    const claim = { runnerId: `runner-${this.#runner}`, kinds: [PHONE_CALL_JOB], fullLanes: [], limit: 100 };
    return await this.stores.jobs.claim(claim);
  }

  async run(job: ClaimedJob): Promise<void> {
    let outcome: { kind: "done" } | { kind: "retry"; delayMs: number; error: string } = { kind: "done" };
    try {
      await this.jobs.run(job);
    } catch (error) {
      const delayMs = this.jobs.retryDelaysMs[job.attempt - 1] ?? 0;
      outcome = { kind: "retry", delayMs, error: String(error) };
    }
    await this.stores.jobs.settle(`runner-${this.#runner}`, new Map([[job.id, outcome]]));
    await settled();
  }

  async stateOf(callId: CallId): Promise<PhoneCallState> {
    return (await this.stores.phoneCalls.get(callId))?.state as PhoneCallState;
  }

  async phaseOf(callId: CallId): Promise<string> {
    return (await this.stateOf(callId)).phase.at;
  }

  /** The worker of an active call has stored its end. */
  async endRecord(callId: CallId): Promise<void> {
    const endedAtMs = this.clock.epochMs();
    const end = { status: "ended", endReason: "agent_hangup", endedAtMs, durationMs: 1_000, turns: [] } as const;
    if (!(await this.stores.calls.finish(callId, end))) throw new Error("not active");
  }

  async recordOf(callId: CallId) {
    return await this.stores.calls.get(this.accountId, callId);
  }

  /** A stream connects with the latest token; whether it may. */
  async attach(callId: CallId): Promise<boolean> {
    if (!(await this.redeem())) return false;
    await this.phoneCalls.handle(callId, { kind: "media-attached" });
    return true;
  }

  /** As `attach`, of which the process learns nothing. */
  async redeem(): Promise<boolean> {
    const hash = hashSecret(this.tokens.at(-1) ?? "");
    const proof = { url: "wss://media.example/", headers: {} };
    const redeemed = await this.stores.redemptions.redeem(
      hash,
      redeemedBy("worker-1", {}),
      [this.carrier.carrier],
      proof,
    );
    return redeemed !== undefined;
  }

  /** The operations of the carrier's API that were asked for, in order. */
  get operations(): readonly CarrierOperation[] {
    return this.client.asked.map(({ operation }) => operation);
  }

  /** The time of the call's deadline comes. */
  async tick(callId: CallId): Promise<void> {
    const { dueAtMs } = (await this.stores.phoneCalls.get(callId)) ?? {};
    if (dueAtMs === undefined) throw new Error("not due");
    this.clock.stall(Math.max(0, (dueAtMs as unknown as number) - (this.clock.epochMs() as unknown as number)));
    this.capacity.loadReported(WORKER, loadOf(this.#slots));
    await this.phoneCalls.handle(callId, { kind: "tick" });
  }

  async close(): Promise<void> {
    await this.phoneCalls.stop();
    await this.stores.close();
  }
}

export function telephonyOf(carrier: CarrierType) {
  const found = CARRIERS.find(({ connectionType }) => connectionType === carrier);
  if (found === undefined) throw new Error(carrier);
  return found.telephony;
}
