import { setTimeout as delay } from "node:timers/promises";
import { createAgent } from "../agent.ts";
import { CARRIER_NAMES, NUMBERS, ObservedCarrier } from "../carriers.ts";
import type { Api } from "../service.ts";

const CALLER = "+12025550142";
const CALLS = 6;
const TALK_MS = 500;
const ENDED_MS_MAX = 60_000;
const POLL_MS = 200;

/** Carriers that have sent real webhooks, of calls to a number. */
export class Originals {
  readonly carriers: readonly ObservedCarrier[];
  /** For the service, to reach the carriers. */
  readonly env: Readonly<Record<string, string>>;

  private constructor(carriers: readonly ObservedCarrier[], env: Readonly<Record<string, string>>) {
    this.carriers = carriers;
    this.env = env;
  }

  static async start(seed: number): Promise<Originals> {
    const started = await Promise.all(CARRIER_NAMES.map((name) => ObservedCarrier.start(name, seed)));
    return new Originals(
      started.map(({ carrier }) => carrier),
      Object.assign({}, ...started.map(({ env }) => env)) as Record<string, string>,
    );
  }

  /** People call the agent of this service; resolves when the carriers have reported the ends of the calls. */
  async gather(service: Api): Promise<void> {
    const agentId = await createAgent(service);
    for (const carrier of this.carriers) {
      await carrier.attach(service, agentId);
      for (let count = 0; count < CALLS; count += 1) {
        carrier.emulator.call({ from: CALLER, to: NUMBERS[carrier.name] }, { hangsUpAfterMs: TALK_MS });
      }
    }
    const endMs = performance.now() + ENDED_MS_MAX;
    while (!this.carriers.every(hasEnded)) {
      if (performance.now() > endMs) throw new Error("the calls whose webhooks are forged did not end");
      await delay(POLL_MS);
    }
  }

  async stop(): Promise<void> {
    for (const { emulator } of this.carriers) await emulator.stop();
  }
}

const hasEnded = ({ emulator }: ObservedCarrier): boolean =>
  emulator.sentWebhooks.filter(({ kind, status }) => kind === "ended" && status === 200).length >= CALLS;
