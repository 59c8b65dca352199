import { setTimeout as delay } from "node:timers/promises";
import { Random } from "../../support/random.ts";
import { KilledService, type StoreName, type Victim } from "../killed-service.ts";
import { ObservedCarrier } from "./carriers.ts";
import { Orders, reasonsOf } from "./orders.ts";
import { type TrialVerdict, verdictOf } from "./verdict.ts";

// Outbound calls at emulated carriers while processes are killed.

const KILL_AFTER_MS = [200, 2_000] as const;
const RETRY_MS = 200;
/** How long a kill that waits for a request to dial waits. */
const ARMED_MS_MAX = 3_000;
const RESTART_MS = [0, 1_000] as const;
const VICTIMS: readonly Victim[] = ["control", "control", "worker", "service"];

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

export class KillTrial {
  readonly #trial: KillTrialOptions;
  readonly #random: Random;
  readonly #print: (line: string) => void;
  readonly #killsMs: { atMs: number; victim: Victim }[] = [];

  constructor(trial: KillTrialOptions, print: (line: string) => void) {
    this.#trial = trial;
    this.#random = new Random(trial.seed);
    this.#print = print;
  }

  async run(): Promise<KillTrialResult> {
    const { store, calls, seed, isShort } = this.#trial;
    const begunMs = performance.now();
    const { carriers, env } = await ObservedCarrier.startAll(seed);
    let service: KilledService | undefined;
    try {
      service = await KilledService.start(store, env);
      const orders = await Orders.prepare({ service, carriers, calls, random: this.#random, isShort });
      const placingMs = Date.now();
      await Promise.all([orders.placeAll(), this.#killAll(service, orders)]);
      await orders.settle();
      return await this.#result(service, orders, { placingMs, begunMs });
    } finally {
      for (const { emulator } of carriers) await emulator.stop();
      await service?.remove();
    }
  }

  /** Each kill waits for its share of the calls, so that all of them are spread over the kills. */
  async #killAll(service: KilledService, orders: Orders): Promise<void> {
    const { calls, kills, store } = this.#trial;
    for (let count = 0; count < kills; count += 1) {
      while (orders.count < (count * calls) / kills) await delay(RETRY_MS);
      const victim = this.#random.pick(VICTIMS);
      if (victim !== "worker" && this.#random.chance(0.5)) await this.#killAtDial(service, orders, victim);
      else await this.#killSoon(service, victim);
      if ((count + 1) % 10 === 0) this.#print(`  ${store}: ${count + 1} of ${kills} kills, ${orders.count} calls`);
    }
  }

  async #killSoon(service: KilledService, victim: Victim): Promise<void> {
    await delay(this.#random.between(...KILL_AFTER_MS));
    while (!this.#kill(service, victim)) await delay(RETRY_MS);
    await this.#restart(service, victim);
  }

  /** While a request to dial is at a carrier: after it was carried out, and before the answer is stored. */
  async #killAtDial(service: KilledService, orders: Orders, victim: Victim): Promise<void> {
    let isKilled = false;
    orders.onDial(() => {
      if (!isKilled) isKilled = this.#kill(service, victim);
    });
    for (let ms = 0; ms < ARMED_MS_MAX && !isKilled; ms += RETRY_MS) await delay(RETRY_MS);
    orders.onDial(() => {});
    while (!isKilled) {
      isKilled = this.#kill(service, victim);
      await delay(RETRY_MS);
    }
    await this.#restart(service, victim);
  }

  #kill(service: KilledService, victim: Victim): boolean {
    const isKilled = service.kill(victim);
    if (isKilled) this.#killsMs.push({ atMs: Date.now(), victim });
    return isKilled;
  }

  /** Processes are started again by their supervisor; that one is not. */
  async #restart(service: KilledService, victim: Victim): Promise<void> {
    if (victim !== "service") return;
    await delay(this.#random.between(...RESTART_MS));
    await service.run();
  }

  async #result(
    service: KilledService,
    orders: Orders,
    { placingMs, begunMs }: { placingMs: number; begunMs: number },
  ): Promise<KillTrialResult> {
    const calls = await orders.evidence();
    const kills = this.#killsMs;
    const timesOf = (those: typeof kills): number[] => those.map(({ atMs }) => atMs);
    // On a busy machine the supervisor itself replaces a process that does not answer.
    const startsMs = (...kinds: readonly Victim[]): number[] =>
      service.startsMs(...kinds).filter((atMs) => atMs > placingMs);
    const verdict = verdictOf({
      calls,
      controlKillsMs: [...timesOf(kills.filter(({ victim }) => victim !== "worker")), ...startsMs("control")],
      killsMs: [...timesOf(kills), ...startsMs("control", "worker")],
      tokens: orders.tokens,
      texts: await service.texts(),
    });
    const tookS = (performance.now() - begunMs) / 1_000;
    return { ...this.#trial, kills: kills.length, placed: orders.placed, reasons: reasonsOf(calls), verdict, tookS };
  }
}
