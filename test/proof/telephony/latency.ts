import { setTimeout as delay } from "node:timers/promises";
import { G711_LAWS } from "../../../src/media/g711.ts";
import type { PersonOf } from "../../../src/simulator/emulator/media-streams.ts";
import type { Leg } from "../../../src/simulator/emulator/network.ts";
import { createAgent } from "./agent.ts";
import { CARRIER_NAMES, NUMBERS, ObservedCarrier, type SeenWebhook } from "./carriers.ts";
import { KilledService } from "./service.ts";

// How long people wait: for the answer of a call that they make, and for the greeting of one that they take.

const CALLER = "+12025550142";
/** Callers hang up at once: what a call costs while it lasts, other benches measure. */
const INBOUND_TALK_MS = 200;
const GREETED_MS_MAX = 5_000;
/** Longer than carriers wait for an answer. */
const ANSWERED_MS_MAX = 30_000;
const POLL_MS = 20;
/** A sample this far from silence belongs to speech. */
const SPEECH_SAMPLE_MIN = 500;

export interface LatencyOptions {
  inboundCalls: number;
  inboundPerSecond: number;
  greetings: number;
}

export interface LatencyResult {
  inboundCalls: number;
  /** Inbound calls whose webhook got no document or was refused. */
  unanswered: number;
  /** From the webhook of an inbound call to the whole answer, of each, in ascending order. */
  documentMs: readonly number[];
  /** From the answer of an outbound call to the first frame of speech that the person hears, in ascending order. */
  greetingMs: readonly number[];
  ungreeted: number;
}

export class LatencyTrial {
  readonly #options: LatencyOptions;
  readonly #heardAtMs = new Map<Leg, number>();

  constructor(options: LatencyOptions) {
    this.#options = options;
  }

  /** `then` is given the carriers, before they and the service are stopped. */
  async run(then: (carriers: readonly ObservedCarrier[]) => Promise<void>): Promise<LatencyResult> {
    const started = await Promise.all(CARRIER_NAMES.map((name) => ObservedCarrier.start(name, 1, this.#listening)));
    const carriers = started.map(({ carrier }) => carrier);
    const env = Object.assign({}, ...started.map((each) => each.env)) as Record<string, string>;
    const service = await KilledService.start("SQLite", env);
    try {
      const agentId = await createAgent(service);
      const numberIds: string[] = [];
      for (const carrier of carriers) numberIds.push((await carrier.attach(service, agentId)).numberId);
      const greetings = await this.#greet(service, carriers, numberIds, agentId);
      const inbound = await this.#receive(carriers);
      await then(carriers);
      return { ...greetings, ...inbound };
    } finally {
      for (const { emulator } of carriers) await emulator.stop();
      await service.remove();
    }
  }

  /** Someone who notes when the agent begins to speak. */
  readonly #listening: PersonOf = (leg, _, codec) => {
    const { decodeTable, silenceByte } = G711_LAWS[codec];
    const silence = new Uint8Array(160).fill(silenceByte);
    return {
      frame: () => silence,
      played: (frame) => {
        if (this.#heardAtMs.has(leg)) return;
        if (frame.some((code) => Math.abs(decodeTable[code] ?? 0) >= SPEECH_SAMPLE_MIN)) {
          this.#heardAtMs.set(leg, Date.now());
        }
      },
    };
  };

  /** One call after the other, at the carriers by turns. */
  async #greet(
    service: KilledService,
    carriers: readonly ObservedCarrier[],
    numberIds: readonly string[],
    agentId: string,
  ): Promise<Pick<LatencyResult, "greetingMs" | "ungreeted">> {
    const greetingMs: number[] = [];
    const { greetings } = this.#options;
    for (let count = 0; count < greetings; count += 1) {
      const emulator = carriers[count % carriers.length]?.emulator;
      const known = emulator?.network.legs.length ?? 0;
      await service.ask("POST", "/phone-calls", { to: CALLER, from: numberIds[count % carriers.length], agentId });
      for (let ms = 0; ms < GREETED_MS_MAX; ms += POLL_MS) {
        const leg = emulator?.network.legs[known];
        const heardAtMs = leg && this.#heardAtMs.get(leg);
        if (leg?.answeredAt !== undefined && heardAtMs !== undefined) {
          greetingMs.push(heardAtMs - Number(leg.answeredAt));
          emulator?.network.hangUp(leg, "person");
          break;
        }
        await delay(POLL_MS);
      }
    }
    return { greetingMs: ascending(greetingMs), ungreeted: greetings - greetingMs.length };
  }

  /** At the carriers by turns. */
  async #receive(
    carriers: readonly ObservedCarrier[],
  ): Promise<Pick<LatencyResult, "inboundCalls" | "unanswered" | "documentMs">> {
    const before = carriers.map(({ webhooks }) => webhooks.length);
    const { inboundCalls, inboundPerSecond } = this.#options;
    const startMs = performance.now();
    for (let count = 0; count < inboundCalls; count += 1) {
      await delay(startMs + (count * 1_000) / inboundPerSecond - performance.now());
      const carrier = carriers[count % carriers.length];
      if (carrier === undefined) continue;
      carrier.emulator.call({ from: CALLER, to: NUMBERS[carrier.name] }, { hangsUpAfterMs: INBOUND_TALK_MS });
    }
    const incoming = (): SeenWebhook[] =>
      carriers.flatMap(({ webhooks }, index) => webhooks.slice(before[index]).filter(isIncoming));
    for (let ms = 0; ms < ANSWERED_MS_MAX && incoming().length < inboundCalls; ms += POLL_MS) await delay(POLL_MS);
    const done = incoming().filter(({ status }) => status === 200);
    return {
      inboundCalls,
      unanswered: inboundCalls - done.length,
      documentMs: ascending(done.map(({ tookMs }) => tookMs)),
    };
  }
}

const ascending = (values: readonly number[]): number[] => values.toSorted((one, other) => one - other);

/** Of a call of the number, and for a carrier that tells all of a call to the same address, that it comes in. */
const isIncoming = ({ url, body }: SeenWebhook): boolean =>
  url.endsWith("/voice") && !url.includes("/calls/") && (!body.startsWith("{") || body.includes('"call.initiated"'));
