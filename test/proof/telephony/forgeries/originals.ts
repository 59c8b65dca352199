import { setTimeout as delay } from "node:timers/promises";
import type { Api } from "../../asked-service.ts";
import { createAgent } from "../agent.ts";
import { CARRIER_NAMES, NUMBERS, ObservedCarrier } from "../carriers.ts";

const CALLER = "+12025550142";
const CALLS = 6;
const CALLS_MIN = 3;
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

  /** People call the agent of this service; resolves when the carriers have reported enough of the calls. */
  async gather(service: Api): Promise<void> {
    const agentId = await createAgent(service);
    for (const carrier of this.carriers) {
      await carrier.attach(service, agentId);
      for (let count = 0; count < CALLS; count += 1) {
        carrier.emulator.call({ from: CALLER, to: NUMBERS[carrier.name] }, { hangsUpAfterMs: TALK_MS });
      }
    }
    const endMs = performance.now() + ENDED_MS_MAX;
    while (!this.carriers.every(hasReported)) {
      if (performance.now() > endMs) throw new Error("the calls whose webhooks are forged were not reported");
      await delay(POLL_MS);
    }
  }

  async stop(): Promise<void> {
    for (const { emulator } of this.carriers) await emulator.stop();
  }
}

/** Some calls and all of their webhooks: a call that meets a busy service may miss some. */
const hasReported = ({ emulator, webhooks }: ObservedCarrier): boolean =>
  emulator.network.legs.every(({ state }) => state === "ended") &&
  new Set(webhooks.filter(({ status }) => status === 200).map(({ leg }) => leg)).size >= CALLS_MIN;
