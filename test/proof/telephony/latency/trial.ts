import { setTimeout as delay } from "node:timers/promises";
import type { PersonOf } from "../../../../src/simulator/emulator/media-streams.ts";
import type { Leg } from "../../../../src/simulator/emulator/network.ts";
import { KilledService, type StoreName } from "../../killed-service.ts";
import { createAgent } from "../agent.ts";
import { CARRIER_NAMES, NUMBERS, ObservedCarrier, type SeenWebhook } from "../carriers.ts";
import { isSpeech, silenceOf } from "../speech.ts";

// How long people wait: for the answer of a call that they make, and for the greeting of one that they take.

const CALLER = "+12025550142";
/** Callers hang up at once: what a call costs while it lasts, other benches measure. */
const INBOUND_TALK_MS = 200;
/** Some calls last at a time. */
const GREETING_EVERY_MS = 500;
const GREETED_TALK_MS = 4_000;
const GREETED_MS_MAX = 10_000;
/** The first greetings are made while they are said, and the programs compile what they run. */
const WARM_UP_CALLS = 6;
/** Longer than carriers wait for an answer. */
const ANSWERED_MS_MAX = 30_000;
const POLL_MS = 20;

export interface LatencyOptions {
  store: StoreName;
  /** Inbound calls at these rates, one after the other. */
  inbound: readonly { calls: number; perSecond: number }[];
  greetings: number;
}

/** Inbound calls that came at one rate. */
export interface InboundResult {
  calls: number;
  perSecond: number;
  /** Those whose webhook got no document or was refused. */
  unanswered: number;
  /** From the webhook to the whole answer, of each, in ascending order. */
  documentMs: readonly number[];
}

export interface LatencyResult {
  store: StoreName;
  inbound: readonly InboundResult[];
  /** From the answer of an outbound call to the first frame of speech that the person hears, in ascending order. */
  greetingMs: readonly number[];
  ungreeted: number;
}

interface Scene {
  readonly service: KilledService;
  readonly agentId: string;
  readonly carriers: readonly ObservedCarrier[];
  readonly numberIds: readonly string[];
}

export class LatencyTrial {
  readonly #options: LatencyOptions;
  readonly #heardAtMs = new Map<Leg, number>();

  constructor(options: LatencyOptions) {
    this.#options = options;
  }

  async run(): Promise<LatencyResult> {
    const started = await Promise.all(CARRIER_NAMES.map((name) => ObservedCarrier.start(name, 1, this.#listening)));
    const carriers = started.map(({ carrier }) => carrier);
    const env = Object.assign({}, ...started.map((each) => each.env)) as Record<string, string>;
    const { store, inbound: rates, greetings } = this.#options;
    const service = await KilledService.start(store, env);
    try {
      const agentId = await createAgent(service);
      const numberIds: string[] = [];
      for (const carrier of carriers) numberIds.push((await carrier.attach(service, agentId)).numberId);
      const scene: Scene = { service, agentId, carriers, numberIds };
      await this.#greet(scene, WARM_UP_CALLS);
      const greeted = await this.#greet(scene, greetings);
      await this.#receive(carriers, { calls: WARM_UP_CALLS, perSecond: WARM_UP_CALLS });
      const inbound: InboundResult[] = [];
      for (const rate of rates) inbound.push(await this.#receive(carriers, rate));
      return { store, inbound, ...greeted };
    } finally {
      for (const { emulator } of carriers) await emulator.stop();
      await service.remove();
    }
  }

  /** Someone who notes when the agent begins to speak. */
  readonly #listening: PersonOf = (leg, _, codec) => {
    const silence = silenceOf(codec);
    return {
      frame: () => silence,
      played: (frame) => {
        if (!this.#heardAtMs.has(leg) && isSpeech(frame, codec)) this.#heardAtMs.set(leg, Date.now());
      },
    };
  };

  /** Calls at the carriers by turns, two a second. */
  async #greet(scene: Scene, count: number): Promise<Pick<LatencyResult, "greetingMs" | "ungreeted">> {
    const calls: Promise<number | undefined>[] = [];
    for (let index = 0; index < count; index += 1) {
      calls.push(this.#greeting(scene, index));
      await delay(GREETING_EVERY_MS);
    }
    const greetingMs = (await Promise.all(calls)).filter((ms) => ms !== undefined);
    return { greetingMs: ascending(greetingMs), ungreeted: count - greetingMs.length };
  }

  /** From the answer of one call to its greeting; undefined where there was none. */
  async #greeting({ service, agentId, carriers, numberIds }: Scene, index: number): Promise<number | undefined> {
    const emulator = carriers[index % carriers.length]?.emulator;
    const to = `+120255501${String(index % 100).padStart(2, "0")}`;
    const known = emulator?.network.legs.length ?? 0;
    await service.ask("POST", "/phone-calls", { to, from: numberIds[index % carriers.length], agentId });
    const endMs = performance.now() + GREETED_MS_MAX;
    for (; performance.now() < endMs; await delay(POLL_MS)) {
      const leg = emulator?.network.legs.slice(known).find((one) => one.to === to);
      const heardAtMs = leg && this.#heardAtMs.get(leg);
      if (leg?.answeredAt === undefined || heardAtMs === undefined) continue;
      await delay(GREETED_TALK_MS);
      emulator?.network.hangUp(leg, "person");
      return heardAtMs - Number(leg.answeredAt);
    }
    return undefined;
  }

  /** At the carriers by turns. */
  async #receive(
    carriers: readonly ObservedCarrier[],
    { calls, perSecond }: LatencyOptions["inbound"][number],
  ): Promise<InboundResult> {
    const before = carriers.map(({ webhooks }) => webhooks.length);
    const startMs = performance.now();
    for (let index = 0; index < calls; index += 1) {
      await delay(startMs + (index * 1_000) / perSecond - performance.now());
      const carrier = carriers[index % carriers.length];
      if (carrier === undefined) continue;
      carrier.emulator.call({ from: CALLER, to: NUMBERS[carrier.name] }, { hangsUpAfterMs: INBOUND_TALK_MS });
    }
    const incoming = (): SeenWebhook[] =>
      carriers.flatMap(({ webhooks }, index) => webhooks.slice(before[index]).filter(isIncoming));
    for (let ms = 0; ms < ANSWERED_MS_MAX && incoming().length < calls; ms += POLL_MS) await delay(POLL_MS);
    const done = incoming().filter(({ status }) => status === 200);
    return {
      calls,
      perSecond,
      unanswered: calls - done.length,
      documentMs: ascending(done.map(({ tookMs }) => tookMs)),
    };
  }
}

const ascending = (values: readonly number[]): number[] => values.toSorted((one, other) => one - other);

/** Of a call of the number, and for a carrier that tells all of a call to the same address, that it comes in. */
const isIncoming = ({ url, body }: SeenWebhook): boolean =>
  url.endsWith("/voice") && !url.includes("/calls/") && (!body.startsWith("{") || body.includes('"call.initiated"'));
