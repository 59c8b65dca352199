import { setTimeout as delay } from "node:timers/promises";
import type { Leg } from "../../../../src/simulator/emulator/network.ts";
import { Random } from "../../../support/random.ts";
import { KilledService, type StoreName } from "../../killed-service.ts";
import { createAgent } from "../agent.ts";
import { CARRIER_NAMES, NUMBERS, ObservedCarrier } from "../carriers.ts";
import { type Line, Lines } from "./lines.ts";
import { type CallerEvidence, type Outcome, outcomeOf } from "./outcome.ts";
import { TRANSFER_ENDPOINT, type TransferPlan, transferPlan } from "./plan.ts";

// People who call are transferred, and everything that can fail does. The carrier's side alone says what became of each of them.

const POLL_MS = 200;
const RETRY_MS = 300;
const GREETED_MS_MAX = 30_000;
/** A call that comes in while the service is away, or has no slot, is made again for so long. */
const CALLING_MS_MAX = 240_000;
/** The agent has finished its greeting. */
const PAUSE_MS = 600;
/** What is heard later than this is no rest of what was said before the transfer. */
const REST_MS = 1_000;
/** A caller who has the agent again stays for so long: a hang-up by the service is seen. */
const STAYS_MS = 1_500;
const ENDED_MS_MAX = 120_000;
const KILL_AFTER_MS = [0, 4_000] as const;
const CALLER = "+12025550142";
const OVER: readonly string[] = ["ended", "failed"];
const HANG_UPS: readonly string[] = ["calls.hangup", "calls.actions.hangup"];
const SPEAK = "calls.actions.speak";

export interface TransferOptions {
  store: StoreName;
  seed: number;
  callers: number;
  callersAtOnce: number;
  /** Kills of the control process, spread over the callers. */
  kills: number;
  /** Without what the service waits for until a deadline. */
  isShort: boolean;
}

export interface CallerResult {
  carrier: string;
  target: string;
  /** What else went wrong with this caller's transfer, in words. */
  met: readonly string[];
  outcome: Outcome;
  callId: string;
  /** The longest time in which the line was connected to nothing, ms. */
  emptyMs: number;
  /** From the order of the transfer until the outcome, ms. */
  waitMs: number;
}

export interface TransferResult extends TransferOptions {
  results: readonly CallerResult[];
  /** Calls of which the service does not say that they are over. */
  open: readonly string[];
  tookS: number;
}

interface Caller {
  readonly leg: Leg;
  readonly line: Line;
  readonly callId: string;
}

interface OrderedTransfer {
  readonly target: string;
  /** How many legs the carrier had before. */
  readonly legsBefore: number;
  readonly orderedAtMs: number;
}

type Followed = Pick<CallerResult, "outcome" | "waitMs">;

export class TransferTrial {
  readonly #options: TransferOptions;
  readonly #print: (line: string) => void;
  readonly #random: Random;
  readonly #lines = new Lines();
  readonly #carriers: ObservedCarrier[] = [];
  readonly #results: CallerResult[] = [];
  #begun = 0;
  #service: KilledService | undefined;

  constructor(options: TransferOptions, print: (line: string) => void) {
    this.#options = options;
    this.#print = print;
    this.#random = new Random(options.seed);
  }

  async run(): Promise<TransferResult> {
    const startMs = performance.now();
    try {
      await this.#prepare();
      await Promise.all([this.#transferAll(), this.#killAll()]);
      const { open, ofLostWorkers } = await this.#endedCalls();
      const results = this.#results.map((result) =>
        result.outcome === "lost" && ofLostWorkers.includes(result.callId)
          ? { ...result, outcome: "worker" as const }
          : result,
      );
      return { ...this.#options, results, open, tookS: (performance.now() - startMs) / 1_000 };
    } finally {
      for (const { emulator } of this.#carriers) await emulator.stop();
      await this.#service?.remove();
    }
  }

  get #running(): KilledService {
    if (this.#service === undefined) throw new Error("the service runs");
    return this.#service;
  }

  async #prepare(): Promise<void> {
    const env: Record<string, string> = {};
    for (const name of CARRIER_NAMES) {
      const started = await ObservedCarrier.start(name, this.#options.seed, this.#lines.personOf);
      this.#carriers.push(started.carrier);
      Object.assign(env, started.env);
    }
    this.#service = await KilledService.start(this.#options.store, env);
    const agentId = await createAgent(this.#service, "Hello.");
    for (const carrier of this.#carriers) await carrier.attach(this.#service, agentId);
  }

  /** Some callers at once, until all were transferred. */
  async #transferAll(): Promise<void> {
    const { callers, callersAtOnce, store } = this.#options;
    const line = async (): Promise<void> => {
      while (this.#begun < callers) {
        const index = this.#begun;
        this.#begun += 1;
        this.#results.push(await this.#serveCaller(index, this.#random.fork()));
        const done = this.#results.length;
        if (done % 50 === 0) this.#print(`  ${store}: ${done} of ${callers} callers were transferred`);
      }
    };
    await Promise.all(Array.from({ length: callersAtOnce }, line));
  }

  /** Each kill waits for its share of the callers. */
  async #killAll(): Promise<void> {
    const { callers, kills } = this.#options;
    for (let count = 0; count < kills; count += 1) {
      while (this.#begun < ((count + 1) * callers) / (kills + 1)) await delay(RETRY_MS);
      await delay(this.#random.between(...KILL_AFTER_MS));
      while (!this.#running.kill("control")) await delay(RETRY_MS);
    }
  }

  async #serveCaller(index: number, random: Random): Promise<CallerResult> {
    const carrier = this.#carriers[index % this.#carriers.length];
    if (carrier === undefined) throw new Error("there are carriers");
    const plan = transferPlan(random, this.#options.isShort);
    const target = targetOf(index);
    carrier.setPerson(target, plan.person);
    const endMs = performance.now() + CALLING_MS_MAX;
    while (performance.now() < endMs) {
      const caller = await this.#call(carrier, plan);
      if (caller === undefined) continue;
      const trouble = this.#trouble(carrier, plan);
      const legsBefore = carrier.emulator.network.legs.length;
      const orderedAtMs = await this.#order(caller, target);
      if (orderedAtMs === undefined) continue;
      const { outcome, waitMs } = await this.#follow(carrier, caller, { target, legsBefore, orderedAtMs });
      carrier.emulator.network.hangUp(caller.leg, "person");
      const { callId, line } = caller;
      return {
        carrier: carrier.name,
        target: plan.target,
        met: trouble,
        outcome,
        callId,
        emptyMs: line.emptyMs,
        waitMs,
      };
    }
    throw new Error(`${carrier.name}: no call was answered and transferred in ${CALLING_MS_MAX / 1_000} s`);
  }

  /** Someone calls, and hears the greeting. Undefined where that fails: the service was killed just then. */
  async #call(carrier: ObservedCarrier, { losesStream }: TransferPlan): Promise<Caller | undefined> {
    const { emulator } = carrier;
    const leg = emulator.call({ from: CALLER, to: NUMBERS[carrier.name] }, losesStream ? { failsStream: 2 } : {});
    const line = this.#lines.of(leg);
    const endMs = Date.now() + GREETED_MS_MAX;
    while (leg.state !== "ended" && Date.now() < endMs) {
      if (line.greetedAtMs !== undefined && Date.now() - line.speechAtMs > PAUSE_MS) {
        const callId = await this.#idOf(emulator.callIdOf(leg));
        if (callId !== undefined) return { leg, line, callId };
      }
      await delay(POLL_MS);
    }
    emulator.network.hangUp(leg, "person");
    await delay(RETRY_MS);
    return undefined;
  }

  async #idOf(carrierCallId: string): Promise<string | undefined> {
    const path = `/calls?carrierCallId=${encodeURIComponent(carrierCallId)}`;
    const answer = await this.#running.api<{ data?: { id: string }[] }>("GET", path);
    return answer?.body.data?.[0]?.id;
  }

  /** Faults and rules are for the next request and the next webhook, which may be another caller's. */
  #trouble({ emulator, name }: ObservedCarrier, { fault, webhook, losesStream }: TransferPlan): readonly string[] {
    if (fault !== undefined) emulator.addFault({ ...fault, endpoint: TRANSFER_ENDPOINT[name] });
    if (webhook !== undefined) emulator.addWebhookRule(webhook);
    return [
      ...(fault === undefined ? [] : [`request ${fault.status ?? fault.kind}`]),
      ...(webhook === undefined ? [] : [`webhook ${webhook.does}`]),
      ...(losesStream ? ["stream of the return lost"] : []),
    ];
  }

  /** When the transfer was ordered; undefined where the call has ended before that. */
  async #order({ leg, callId }: Caller, target: string): Promise<number | undefined> {
    let lostAtMs: number | undefined;
    while (leg.state !== "ended") {
      const sentAtMs = Date.now();
      const answer = await this.#running.api("POST", `/calls/${callId}/transfer`, { target });
      if (answer?.status === 202) return sentAtMs;
      // The process that was killed had accepted it.
      if (answer?.status === 409 && lostAtMs !== undefined) return lostAtMs;
      if (answer?.status === 400) throw new Error(`the transfer was refused: ${JSON.stringify(answer.body)}`);
      if (answer === undefined) lostAtMs ??= sentAtMs;
      await delay(RETRY_MS);
    }
    return lostAtMs;
  }

  /** Until it is decided what becomes of the caller. */
  async #follow(carrier: ObservedCarrier, { leg, line }: Caller, ordered: OrderedTransfer): Promise<Followed> {
    const { network } = carrier.emulator;
    const { target, legsBefore, orderedAtMs } = ordered;
    let backAtMs: number | undefined;
    for (;;) {
      const nowMs = Date.now();
      const targets = network.legs.slice(legsBefore).filter(({ to }) => to === target);
      const hasPerson = targets.some(({ state }) => state !== "ended");
      line.observe(nowMs, hasPerson);
      if (line.speechAtMs > orderedAtMs + REST_MS) backAtMs ??= nowMs;
      const outcome = outcomeOf({
        hasTarget: targets.some((one) => hasSpoken(one, nowMs)),
        hasAgent: backAtMs !== undefined && nowMs - backAtMs > STAYS_MS,
        isEnded: leg.state === "ended",
        ...orderedEnd(carrier, leg),
        emptyMs: line.emptyMs,
        waitMs: nowMs - orderedAtMs,
      });
      if (outcome !== undefined) return { outcome, waitMs: (backAtMs ?? nowMs) - orderedAtMs };
      await delay(POLL_MS);
    }
  }

  /** Once all callers have hung up, all calls end. */
  async #endedCalls(): Promise<{ open: readonly string[]; ofLostWorkers: readonly string[] }> {
    const endMs = Date.now() + ENDED_MS_MAX;
    const ofLostWorkers: string[] = [];
    let open = this.#results.map(({ callId }) => callId);
    while (open.length > 0 && Date.now() < endMs) {
      const still: string[] = [];
      for (const callId of open) {
        const answer = await this.#running.api<{ status: string; endReason: string }>("GET", `/calls/${callId}`);
        if (answer?.status !== 200 || !OVER.includes(answer.body.status)) still.push(callId);
        else if (answer.body.endReason === "worker_lost") ofLostWorkers.push(callId);
      }
      open = still;
      if (open.length > 0) await delay(1_000);
    }
    return { open, ofLostWorkers };
  }
}

/** North American area codes; the numbers 555-0100 to 555-0199 of each are for fictional use. */
const AREAS = [203, 205, 206, 207, 208, 209, 210, 212, 213, 214, 215, 216] as const;
const targetOf = (index: number): string =>
  `+1${AREAS[Math.floor(index / 100) % AREAS.length]}55501${String(index % 100).padStart(2, "0")}`;

/** The target has stayed for a while, or has hung up itself. */
const hasSpoken = ({ answeredAt, endedBy, state }: Leg, nowMs: number): boolean =>
  answeredAt !== undefined && (state === "ended" ? endedBy === "person" : nowMs - Number(answeredAt) > STAYS_MS);

/** Whether the service has had this line ended, and has had it explained before. */
function orderedEnd({ emulator, webhooks }: ObservedCarrier, leg: Leg): Pick<CallerEvidence, "isHungUp" | "hasText"> {
  if (leg.state !== "ended") return { isHungUp: false, hasText: false };
  const id = emulator.callIdOf(leg);
  const requests = emulator.requests.filter(({ path }) => decodeURIComponent(path).includes(id));
  const answers = webhooks.filter((webhook) => webhook.leg === leg).map(({ answer }) => answer);
  const hasText =
    requests.some(({ endpoint }) => endpoint === SPEAK) || answers.some((answer) => /<(?:Say|Speak)\b/.test(answer));
  const isHungUp =
    requests.some(({ endpoint = "", body }) => HANG_UPS.includes(endpoint) || body.Status === "completed") ||
    answers.some((answer) => answer.includes("<Hangup"));
  return { isHungUp, hasText };
}
