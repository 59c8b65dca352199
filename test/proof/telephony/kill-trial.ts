import { setTimeout as delay } from "node:timers/promises";
import type { CallId } from "../../../src/core/ids.ts";
import type { EmulatedName } from "../../../src/simulator/emulator/emulator.ts";
import { BEHAVIOURS, type Behaviour, type RestFault, WEBHOOK_KINDS } from "../../../src/simulator/emulator/scenario.ts";
import { Random } from "../../support/random.ts";
import { KilledService, type StoreName, type Victim } from "../killed-service.ts";
import { createAgent } from "./agent.ts";
import { CARRIER_NAMES, DIAL_ENDPOINT, ObservedCarrier } from "./carriers.ts";
import { type CallEvidence, type TrialVerdict, verdictOf } from "./verdict.ts";

// Outbound calls at emulated carriers under kills. People, carriers and processes misbehave by the seed.

const CALLS_AT_ONCE = 12;
const PEOPLE: readonly Behaviour[] = ["answer", "answer", "answer", "answer", ...BEHAVIOURS];
const RING_S = 5;
const TALK_MS = [300, 4_000] as const;
const KILL_AFTER_MS = [200, 2_000] as const;
const RETRY_MS = 200;
/** How long a kill that waits for a request to dial waits. */
const ARMED_MS_MAX = 3_000;
const RESTART_MS = [0, 1_000] as const;
/** Longer than the longest way of a call to its end: a request in doubt, and the last question about it. */
const SETTLE_MS_MAX = 240_000;
const FAULTED = 0.25;
const WEBHOOK_TROUBLE = 0.3;
/** How long a line waits for its call to end before it places the next one. */
const LINE_WAITS_MS_MAX = 7_500;
const VICTIMS: readonly Victim[] = ["control", "control", "worker", "service"];
const MANNERS = ["late", "twice", "lost", "after_next"] as const;
/** North American area codes; the numbers 555-0100 to 555-0199 of each are for fictional use. */
const AREAS = [202, 203, 205, 206, 207, 208, 209, 210, 212, 213, 214, 215] as const;
const NUMBERS_PER_AREA = 100;
const OVER: readonly string[] = ["ended", "failed"];

/** The carrier has done nothing, and says so. */
const BUSY = 429;
/** What goes wrong with requests to dial. */
const FAULTS: readonly RestFault[] = [
  { kind: "status", status: 500, isCarriedOut: true },
  { kind: "silence", isCarriedOut: true },
  { kind: "silence", isCarriedOut: false },
  { kind: "html", status: 502, isCarriedOut: true },
  { kind: "status", status: BUSY, retryAfterS: 1 },
];

export interface KillTrialOptions {
  store: StoreName;
  calls: number;
  kills: number;
  seed: number;
  /** Without requests that get no answer, for which the service waits longest. */
  isShort: boolean;
}

export interface KillTrialResult extends KillTrialOptions {
  placed: number;
  /** How many calls ended for which reason. */
  reasons: Readonly<Record<string, number>>;
  verdict: TrialVerdict;
  tookS: number;
}

interface Order {
  readonly to: string;
  readonly carrier: ObservedCarrier;
  callId?: string;
  isOver?: boolean;
}

export class KillTrial {
  readonly #trial: KillTrialOptions;
  readonly #random: Random;
  readonly #print: (line: string) => void;
  readonly #carriers: ObservedCarrier[] = [];
  readonly #numberIds = new Map<EmulatedName, string>();
  readonly #orders: Order[] = [];
  readonly #killsMs: { atMs: number; victim: Victim }[] = [];
  #agentId = "";
  #begunAtMs = 0;
  #service: KilledService | undefined;

  constructor(trial: KillTrialOptions, print: (line: string) => void) {
    this.#trial = trial;
    this.#random = new Random(trial.seed);
    this.#print = print;
  }

  async run(): Promise<KillTrialResult> {
    const begunMs = performance.now();
    try {
      await this.#prepare();
      this.#begunAtMs = Date.now();
      await Promise.all([this.#placeAll(), this.#killAll()]);
      await this.#settle();
      return await this.#result((performance.now() - begunMs) / 1_000);
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
      const started = await ObservedCarrier.start(name, this.#trial.seed);
      this.#carriers.push(started.carrier);
      Object.assign(env, started.env);
    }
    this.#service = await KilledService.start(this.#trial.store, env);
    this.#agentId = await createAgent(this.#service);
    for (const carrier of this.#carriers) {
      this.#numberIds.set(carrier.name, (await carrier.attach(this.#service, this.#agentId)).numberId);
    }
  }

  /** Some lines at once, until all calls are placed. */
  async #placeAll(): Promise<void> {
    const { calls } = this.#trial;
    const line = async (): Promise<void> => {
      while (this.#orders.length < calls) {
        const order = this.#newOrder(this.#orders.length);
        this.#orders.push(order);
        await this.#place(order);
        await this.#awaitEnd(order);
      }
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, line));
  }

  #newOrder(index: number): Order {
    const carrier = this.#carriers[index % this.#carriers.length];
    if (carrier === undefined) throw new Error("there are carriers");
    const area = AREAS[Math.floor(index / NUMBERS_PER_AREA) % AREAS.length];
    const to = `+1${area}55501${String(index % NUMBERS_PER_AREA).padStart(2, "0")}`;
    carrier.setPerson(to, {
      does: this.#random.pick(PEOPLE),
      reactsAfterMs: this.#random.between(50, 2_000),
      hangsUpAfterMs: this.#random.between(...TALK_MS),
    });
    if (this.#random.chance(FAULTED)) {
      const faults = FAULTS.filter(({ kind }) => !this.#trial.isShort || kind === "status");
      carrier.emulator.addFault({ ...this.#random.pick(faults), endpoint: DIAL_ENDPOINT[carrier.name], times: 1 });
    }
    if (this.#random.chance(WEBHOOK_TROUBLE)) {
      const kind = this.#random.pick(WEBHOOK_KINDS.filter((each) => each !== "incoming" && each !== "transfer"));
      const does = this.#random.pick(MANNERS);
      carrier.emulator.addWebhookRule({ kind, does, times: 1, delayMs: this.#random.between(500, 5_000) });
    }
    return { to, carrier };
  }

  /** Again until the service has answered: the idempotency key makes one call of it. */
  async #place(order: Order): Promise<void> {
    const from = this.#numberIds.get(order.carrier.name);
    const body = { to: order.to, from, agentId: this.#agentId, ringTimeout: RING_S };
    const headers = { "Idempotency-Key": `proof ${order.to}` };
    for (;;) {
      const answer = await this.#running.api<{ id: string }>("POST", "/phone-calls", body, headers);
      if (answer?.status === 201) {
        order.callId = answer.body.id;
        return;
      }
      if (answer !== undefined && ![408, 429, 503].includes(answer.status)) {
        throw new Error(`POST /phone-calls: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
      await delay(RETRY_MS);
    }
  }

  /** For a while only: a call in doubt is in doubt for minutes. */
  async #awaitEnd(order: Order): Promise<void> {
    const endMs = performance.now() + LINE_WAITS_MS_MAX;
    while (performance.now() < endMs && !(await this.#isOver(order))) await delay(RETRY_MS);
  }

  async #isOver(order: Order): Promise<boolean> {
    if (order.isOver === true) return true;
    const answer = await this.#running.api<{ status: string }>("GET", `/calls/${order.callId}`);
    order.isOver = answer?.status === 200 && OVER.includes(answer.body.status);
    return order.isOver;
  }

  /** Each kill waits for its share of the calls, so that all of them are spread over the kills. */
  async #killAll(): Promise<void> {
    const { calls, kills, store } = this.#trial;
    for (let count = 0; count < kills; count += 1) {
      while (this.#orders.length < (count * calls) / kills) await delay(RETRY_MS);
      const victim = this.#random.pick(VICTIMS);
      if (victim !== "worker" && this.#random.chance(0.5)) await this.#killAtDial(victim);
      else await this.#killSoon(victim);
      if ((count + 1) % 10 === 0)
        this.#print(`  ${store}: ${count + 1} of ${kills} kills, ${this.#orders.length} calls`);
    }
  }

  async #killSoon(victim: Victim): Promise<void> {
    await delay(this.#random.between(...KILL_AFTER_MS));
    while (!this.#kill(victim)) await delay(RETRY_MS);
    await this.#restart(victim);
  }

  /** While a request to dial is at a carrier: after it was carried out, and before the answer is stored. */
  async #killAtDial(victim: Victim): Promise<void> {
    let isKilled = false;
    for (const carrier of this.#carriers) {
      carrier.onDial = () => {
        if (!isKilled) isKilled = this.#kill(victim);
      };
    }
    for (let ms = 0; ms < ARMED_MS_MAX && !isKilled; ms += RETRY_MS) await delay(RETRY_MS);
    for (const carrier of this.#carriers) carrier.onDial = () => {};
    while (!isKilled) {
      isKilled = this.#kill(victim);
      await delay(RETRY_MS);
    }
    await this.#restart(victim);
  }

  #kill(victim: Victim): boolean {
    const isKilled = this.#running.kill(victim);
    if (isKilled) this.#killsMs.push({ atMs: Date.now(), victim });
    return isKilled;
  }

  /** Processes are started again by their supervisor; that one is not. */
  async #restart(victim: Victim): Promise<void> {
    if (victim !== "service") return;
    await delay(this.#random.between(...RESTART_MS));
    await this.#running.run();
  }

  /** Until every call is over, or long after. */
  async #settle(): Promise<void> {
    const endMs = performance.now() + SETTLE_MS_MAX;
    for (; performance.now() < endMs; await delay(1_000)) {
      let open = 0;
      for (const order of this.#orders) if (!(await this.#isOver(order))) open += 1;
      if (open === 0) return;
    }
  }

  async #result(tookS: number): Promise<KillTrialResult> {
    const calls = await this.#evidence();
    const kills = this.#killsMs;
    const timesOf = (those: typeof kills): number[] => those.map(({ atMs }) => atMs);
    // On a busy machine the supervisor itself replaces a process that does not answer.
    const startsMs = (...kinds: readonly Victim[]): number[] =>
      this.#running.startsMs(...kinds).filter((atMs) => atMs > this.#begunAtMs);
    const verdict = verdictOf({
      calls,
      controlKillsMs: [...timesOf(kills.filter(({ victim }) => victim !== "worker")), ...startsMs("control")],
      killsMs: [...timesOf(kills), ...startsMs("control", "worker")],
      tokens: this.#carriers.flatMap(({ tokens }) => tokens.map(({ leg, ...seen }) => ({ ...seen, ...answerOf(leg) }))),
      texts: await this.#running.texts(),
    });
    const reasons: Record<string, number> = {};
    for (const { endReason } of calls) reasons[endReason ?? "none"] = (reasons[endReason ?? "none"] ?? 0) + 1;
    const placed = this.#carriers.reduce((sum, { emulator }) => sum + emulator.placed.length, 0);
    return { ...this.#trial, kills: kills.length, placed, reasons, verdict, tookS };
  }

  async #evidence(): Promise<CallEvidence[]> {
    return await this.#running.withStores(async (stores) => {
      const accountId = await stores.accounts.ensure("proof");
      const evidence: CallEvidence[] = [];
      for (const { callId = "", to, carrier } of this.#orders) {
        const { emulator, name } = carrier;
        const record = await stores.calls.get(accountId, callId as CallId);
        const page = { from: 0, limit: 1_000 };
        const journal = (await stores.phoneCalls.events(accountId, callId as CallId, page)) ?? [];
        const legs = emulator.placed.filter((placed) => placed.to === to).map(({ leg }) => leg);
        // A carrier may leave out the plus sign.
        const dials = emulator.requests.filter(
          ({ endpoint, body }) =>
            endpoint === DIAL_ENDPOINT[name] &&
            Object.values(body).some((value) => value === to || value === to.slice(1)),
        );
        evidence.push({
          callId,
          carrier: name,
          status: record?.status ?? "none",
          endReason: record?.endReason ?? null,
          journal,
          hasToken: journal.some(({ commands }) =>
            commands.some((command) => (command as { kind: string }).kind === "connect"),
          ),
          legs: legs.map((leg) => ({ ...answerOf(leg), ...(leg.cause !== undefined && { cause: leg.cause }) })),
          hasUncertainFault: dials.some(({ fault, status }) => fault !== undefined && status !== BUSY),
          isDisturbed: dials.some(({ fault }) => fault !== undefined) || this.#hasTrouble(carrier, legs),
        });
      }
      return evidence;
    });
  }

  /** A webhook of one of these calls did not arrive at once, once and in order. */
  #hasTrouble({ emulator }: ObservedCarrier, legs: readonly Parameters<typeof emulator.callIdOf>[0][]): boolean {
    const ids = legs.map((leg) => emulator.callIdOf(leg));
    return emulator.sentWebhooks.some(({ callId, status }) => ids.includes(callId) && (status < 200 || status >= 300));
  }
}

const answerOf = (leg: { answeredAt?: unknown } | undefined): { answeredAtMs?: number } =>
  leg?.answeredAt === undefined ? {} : { answeredAtMs: Number(leg.answeredAt) };
