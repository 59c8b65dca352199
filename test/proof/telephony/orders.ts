import { setTimeout as delay } from "node:timers/promises";
import type { CallId } from "../../../src/core/ids.ts";
import type { EmulatedName } from "../../../src/simulator/emulator/emulator.ts";
import type { LoggedRequest } from "../../../src/simulator/emulator/rest/request-log.ts";
import { BEHAVIOURS, type Behaviour, type RestFault, WEBHOOK_KINDS } from "../../../src/simulator/emulator/scenario.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { Random } from "../../support/random.ts";
import { type AskedService, isForLater } from "../asked-service.ts";
import { createAgent } from "./agent.ts";
import { DIAL_ENDPOINT, type ObservedCarrier } from "./carriers.ts";
import { type CallEvidence, OVER, type TrialEvidence } from "./verdict.ts";

// Orders of outbound calls at emulated carriers. People and carriers misbehave by the seed.

const CALLS_AT_ONCE = 12;
const PEOPLE: readonly Behaviour[] = ["answer", "answer", "answer", "answer", ...BEHAVIOURS];
const RING_S = 5;
const TALK_MS = [300, 4_000] as const;
const RETRY_MS = 200;
/** Longer than the longest way of a call to its end: a request in doubt, and the last question about it. */
const SETTLE_MS_MAX = 240_000;
const FAULTED = 0.25;
const WEBHOOK_TROUBLE = 0.3;
/** How long a line waits for its call to end before it places the next one. */
const LINE_WAITS_MS_MAX = 7_500;
const MANNERS = ["late", "twice", "lost", "after_next"] as const;
/**
 * North American area codes; the numbers 555-0100 to 555-0199 of each are for fictional use. Not 202: the numbers of the account are
 * there, and every request to dial names one as its sender.
 */
const AREAS = [203, 205, 206, 207, 208, 209, 210, 212, 213, 214, 215] as const;
const NUMBERS_PER_AREA = 100;

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

export interface OrdersOptions {
  service: AskedService;
  carriers: readonly ObservedCarrier[];
  calls: number;
  random: Random;
  /** Without requests that get no answer, for which the service waits longest. */
  isShort: boolean;
  /** Resolves when one more may be placed, after so many; at once where it is absent. */
  turn?: (count: number) => Promise<void>;
}

interface Order {
  readonly to: string;
  readonly carrier: ObservedCarrier;
  callId?: string;
  isOver?: boolean;
}

/** Orders calls at a service that may be gone for a while, each with a key that makes one call of it, and sees what becomes of them. */
export class Orders {
  readonly #options: OrdersOptions;
  readonly #numberIds = new Map<EmulatedName, string>();
  readonly #orders: Order[] = [];
  #taken = 0;
  #agentId = "";

  private constructor(options: OrdersOptions) {
    this.#options = options;
  }

  /** Gives the service an agent, and the numbers of the carriers. */
  static async prepare(options: OrdersOptions): Promise<Orders> {
    const orders = new Orders(options);
    const { service, carriers } = options;
    orders.#agentId = await createAgent(service);
    for (const carrier of carriers) {
      orders.#numberIds.set(carrier.name, (await carrier.attach(service, orders.#agentId)).numberId);
    }
    return orders;
  }

  /** How many there are so far. */
  get count(): number {
    return this.#orders.length;
  }

  /** How many calls the carriers have placed. */
  get placed(): number {
    return this.#options.carriers.reduce((sum, { emulator }) => sum + emulator.placed.length, 0);
  }

  /** See `ObservedCarrier.onDial`: of all carriers, in place of what was given before. */
  onDial(listener: ObservedCarrier["onDial"]): void {
    for (const carrier of this.#options.carriers) carrier.onDial = listener;
  }

  /** Some lines at once, until all calls are placed. */
  async placeAll(): Promise<void> {
    const { calls, turn } = this.#options;
    const line = async (): Promise<void> => {
      while (this.#taken < calls) {
        this.#taken += 1;
        await turn?.(this.#taken - 1);
        const order = this.#newOrder(this.#orders.length);
        this.#orders.push(order);
        await this.#place(order);
        await this.#awaitEnd(order);
      }
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, line));
  }

  /** Until every call is over, or long after. */
  async settle(): Promise<void> {
    const endMs = performance.now() + SETTLE_MS_MAX;
    for (; performance.now() < endMs; await delay(1_000)) {
      let open = 0;
      for (const order of this.#orders) if (!(await this.#isOver(order))) open += 1;
      if (open === 0) return;
    }
  }

  /** What is known of each call. */
  async evidence(): Promise<CallEvidence[]> {
    return await this.#options.service.withStores(async (stores) => {
      const evidence: CallEvidence[] = [];
      for (const order of this.#orders) evidence.push(await this.#evidenceOf(order, stores));
      return evidence;
    });
  }

  /** The tokens that carriers were given. */
  get tokens(): TrialEvidence["tokens"] {
    return this.#options.carriers.flatMap(({ tokens }) =>
      tokens.map(({ leg, ...seen }) => ({ ...seen, ...answerOf(leg) })),
    );
  }

  #newOrder(index: number): Order {
    const { carriers, random, isShort } = this.#options;
    const carrier = carriers[index % carriers.length];
    if (carrier === undefined) throw new Error("there are carriers");
    const area = AREAS[Math.floor(index / NUMBERS_PER_AREA) % AREAS.length];
    const to = `+1${area}55501${String(index % NUMBERS_PER_AREA).padStart(2, "0")}`;
    carrier.setPerson(to, {
      does: random.pick(PEOPLE),
      reactsAfterMs: random.between(50, 2_000),
      hangsUpAfterMs: random.between(...TALK_MS),
    });
    if (random.chance(FAULTED)) {
      const faults = FAULTS.filter(({ kind }) => !isShort || kind === "status");
      carrier.emulator.addFault({ ...random.pick(faults), endpoint: DIAL_ENDPOINT[carrier.name], times: 1 });
    }
    if (random.chance(WEBHOOK_TROUBLE)) {
      const kind = random.pick(WEBHOOK_KINDS.filter((each) => each !== "incoming" && each !== "transfer"));
      const does = random.pick(MANNERS);
      carrier.emulator.addWebhookRule({ kind, does, times: 1, delayMs: random.between(500, 5_000) });
    }
    return { to, carrier };
  }

  /** Again until the service has answered: the idempotency key makes one call of it. */
  async #place(order: Order): Promise<void> {
    const from = this.#numberIds.get(order.carrier.name);
    const body = { to: order.to, from, agentId: this.#agentId, ringTimeout: RING_S };
    const headers = { "Idempotency-Key": `proof ${order.to}` };
    for (;;) {
      const answer = await this.#options.service.api<{ id: string }>("POST", "/phone-calls", body, headers);
      if (answer?.status === 201) {
        order.callId = answer.body.id;
        return;
      }
      if (answer !== undefined && !isForLater(answer.status)) {
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
    const answer = await this.#options.service.api<{ status: string }>("GET", `/calls/${order.callId}`);
    order.isOver = answer?.status === 200 && OVER.includes(answer.body.status);
    return order.isOver;
  }

  async #evidenceOf({ callId = "", to, carrier }: Order, stores: Stores): Promise<CallEvidence> {
    const { emulator, name } = carrier;
    const accountId = await stores.accounts.ensure("proof");
    const record = await stores.calls.get(accountId, callId as CallId);
    const page = { from: 0, limit: 1_000 };
    const journal = (await stores.phoneCalls.events(accountId, callId as CallId, page)) ?? [];
    const legs = emulator.placed.filter((placed) => placed.to === to).map(({ leg }) => leg);
    const dials = this.#dialsOf(carrier, to);
    const ids = legs.map((leg) => emulator.callIdOf(leg));
    /** A webhook of it did not arrive at once, once and in order. */
    const hasTrouble = emulator.sentWebhooks.some(
      ({ callId: id, status }) => ids.includes(id) && (status < 200 || status >= 300),
    );
    return {
      callId,
      carrier: name,
      status: record?.status ?? "none",
      endReason: record?.endReason ?? null,
      journal,
      hasToken: journal.some(({ commands }) =>
        commands.some((command) => (command as { kind: string }).kind === "connect"),
      ),
      legs: legs.map((leg) => ({ ...answerOf(leg), ...(leg.cause !== undefined && { cause: leg.cause }) })),
      dialsInDoubt: dialsAfterDoubt(dials),
      hasUncertainFault: dials.some(({ fault, status }) => fault !== undefined && status !== BUSY),
      isDisturbed: dials.some(({ fault }) => fault !== undefined) || hasTrouble,
    };
  }

  /** A carrier may leave out the plus sign. */
  #dialsOf({ emulator, name }: ObservedCarrier, to: string): LoggedRequest[] {
    return emulator.requests.filter(
      ({ endpoint, body }) =>
        endpoint === DIAL_ENDPOINT[name] && Object.values(body).some((value) => value === to || value === to.slice(1)),
    );
  }
}

/** How many calls ended for each reason. */
export function reasonsOf(calls: readonly CallEvidence[]): Record<string, number> {
  const reasons: Record<string, number> = {};
  for (const { endReason } of calls) reasons[endReason ?? "none"] = (reasons[endReason ?? "none"] ?? 0) + 1;
  return reasons;
}

/** How many came after one that the carrier has carried out, or of which it did not say that it has not. */
function dialsAfterDoubt(dials: readonly LoggedRequest[]): number {
  const first = dials.findIndex(({ status }) => status < 400 || status >= 500);
  return first < 0 ? 0 : dials.length - first - 1;
}

const answerOf = (leg: { answeredAt?: unknown } | undefined): { answeredAtMs?: number } =>
  leg?.answeredAt === undefined ? {} : { answeredAtMs: Number(leg.answeredAt) };
