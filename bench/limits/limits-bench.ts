import { setTimeout as delay } from "node:timers/promises";
import { encodeFrame, OPCODE } from "../../test/support/raw-ws.ts";
import { Child, type Cores, findCores, pin } from "../load/processes.ts";
import { describeMachine } from "../machine.ts";
import { median } from "../statistics.ts";
import { burstLimits } from "./burst-limits.ts";
import { carrierLimits } from "./carrier-limits.ts";
import { framingBursts, framingRates } from "./framing-limits.ts";
import type { BurstLimit, LimitStream, RateLimit } from "./limit.ts";
import { LimitPeer } from "./limit-peer.ts";
import type { LimitQuestions } from "./limit-worker.ts";
import type { BurstCost, LimitsOptions, LimitsResult, RateCost } from "./limits-result.ts";
import { measureOpenCosts } from "./open-costs.ts";
import { rawLimits } from "./raw-limits.ts";
import { measureRedemptions } from "./redemption-delay.ts";
import { schemaLimits } from "./schema-limits.ts";
import { carrierStream } from "./streams.ts";
import { threadCpuMs } from "./thread-cpu.ts";

/** A rate is measured for at least so many units; in the reduced form for one. */
const UNITS_MIN = 3;
/** How long the worker runs before anything is measured. */
const WARM_UP_S = 2;
/** Before each rate its call is idle for this part of the time. */
const IDLE_PART = 0.3;
/** From when a burst has been read until all that it causes is over. */
const SETTLE_MS = 400;
/** How often each request is sent that no limit bounds. */
const OPEN_REQUESTS = 200;
const PONG_MS = 10_000;
const TRIES_MAX = 4;

/** What the loop's thread had used at one moment. */
interface Reading {
  atMs: number;
  cpuMs: number;
}

const shareBetween = (from: Reading, to: Reading): number => (to.cpuMs - from.cpuMs) / (to.atMs - from.atMs);

/** What is measured of a worker process. */
class LimitsBench {
  readonly #worker: Child<LimitQuestions>;
  readonly #pid: number;
  readonly #options: LimitsOptions;
  readonly #write: (line: string) => void;
  readonly problems: string[] = [];

  constructor(worker: Child<LimitQuestions>, pid: number, options: LimitsOptions, write: (line: string) => void) {
    this.#worker = worker;
    this.#pid = pid;
    this.#options = options;
    this.#write = write;
  }

  /** Where the machine held the worker up, two seconds' worth came within one and ended the call: that is measured again. */
  async rate(limit: RateLimit): Promise<RateCost> {
    const what = `${limit.stream.name}, ${limit.name}`;
    for (let tries = 1; ; tries += 1) {
      const { cost, ended } = await this.#rate(limit);
      if (ended && tries < TRIES_MAX) continue;
      if (ended) this.problems.push(`${what}: the call ended`);
      this.#write(`${what}: ${(100 * cost.share).toFixed(2)} % of the loop`);
      return cost;
    }
  }

  async #rate({ name, stream, bounds, perSecond, unit }: RateLimit): Promise<{ cost: RateCost; ended: boolean }> {
    const peer = await LimitPeer.open(this.#worker, stream);
    await delay(this.#options.seconds * 1_000 * IDLE_PART);
    const idle = this.#read();
    await delay(this.#options.seconds * 1_000 * IDLE_PART);
    const idleShare = shareBetween(idle, this.#read());
    const warmUpS = this.#options.seconds / 5;
    const seconds = Math.max(this.#options.seconds, (this.#options.reduced ? 1 : UNITS_MIN) / perSecond);
    const warmUp = await peer.send(unit, perSecond, warmUpS);
    await peer.pause();
    const before = this.#read();
    const sent = await peer.send(unit, perSecond, seconds, warmUp);
    const after = this.#read();
    const wallMs = after.atMs - before.atMs;
    const { ended } = peer;
    peer.close();
    const unitUs = (1_000 * (after.cpuMs - before.cpuMs - idleShare * wallMs)) / sent;
    const share = (unitUs * perSecond) / 1e6;
    return { cost: { name, stream: stream.name, bounds, perSecond, unitUs, share }, ended };
  }

  async bursts(limits: readonly BurstLimit[]): Promise<BurstCost[]> {
    const { bursts } = this.#options;
    const silent = Math.max(0, ...limits.map(({ silentMs }) => silentMs));
    // A backlog must not become older than it may be while others are sent.
    const inOrder = limits.toSorted((a, b) => b.silentMs - a.silentMs);
    const costs = inOrder.map((limit) => ({ limit, ms: [] as number[], bytes: 0 }));
    const peers = [];
    for (const cost of costs) {
      for (let count = 0; count < bursts; count += 1) {
        peers.push({ cost, peer: await LimitPeer.open(this.#worker, cost.limit.stream) });
      }
    }
    const pong = encodeFrame({ opcode: OPCODE.pong });
    for (const untilMs = performance.now() + silent; performance.now() < untilMs; ) {
      await delay(Math.max(0, Math.min(PONG_MS, untilMs - performance.now())));
      for (const { peer } of peers) peer.write(pong);
    }
    for (const { cost, peer } of peers) {
      const bytes = cost.limit.burst();
      cost.bytes = bytes.length;
      const idle = this.#read();
      await delay(SETTLE_MS);
      const before = this.#read();
      await peer.sendAll(bytes);
      await delay(SETTLE_MS);
      const after = this.#read();
      if (peer.ended) this.problems.push(`${cost.limit.stream.name}, ${cost.limit.name}: the call ended`);
      const idleShare = shareBetween(idle, before);
      cost.ms.push(after.cpuMs - before.cpuMs - idleShare * (after.atMs - before.atMs));
      peer.close();
    }
    return costs.map(({ limit: { name, stream, bounds }, ms, bytes }) => {
      const [medianMs, maxMs] = [median(ms), Math.max(...ms)];
      this.#write(`${stream.name}, ${name}, at once: ${medianMs.toFixed(1)} ms of the loop`);
      return { name, stream: stream.name, bounds, bytes, medianMs, maxMs };
    });
  }

  /** The first call after a start costs more than all later ones, idle or not. */
  async warmUp(stream: LimitStream): Promise<void> {
    const peer = await LimitPeer.open(this.#worker, stream);
    await delay(WARM_UP_S * 1_000);
    peer.close();
  }

  #read(): Reading {
    return { atMs: performance.now(), cpuMs: threadCpuMs(this.#pid) };
  }
}

/** Drives a worker at the maximum of each limit, one after the other. Rejects when a stream is refused. */
export async function runLimitsBench(options: LimitsOptions, write: (line: string) => void): Promise<LimitsResult> {
  const cores = findCores();
  const worker = await Child.start<LimitQuestions>(import.meta.url, "./limit-worker", cores?.server);
  if (cores !== undefined) pin(process.pid, cores.others);
  try {
    const bench = new LimitsBench(worker, await worker.ask("pid", undefined), options, write);
    await bench.warmUp(carrierStream("carrier_a"));
    const rates: RateCost[] = [];
    for (const limit of chosen(options)) rates.push(await bench.rate(limit));
    const bursts = [];
    for (const waits of options.reduced ? [false] : [false, true]) {
      bursts.push(...(await bench.bursts(burstLimits.filter(({ silentMs }) => silentMs > 0 === waits))));
    }
    const onWs = await measureOnWs(options, cores, write);
    bench.problems.push(...onWs.problems);
    rates.push(...onWs.rates);
    bursts.push(...onWs.bursts);
    const open = options.reduced ? [] : await measureOpenCosts(OPEN_REQUESTS, write);
    const redemptions = options.reduced ? [] : await measureRedemptions(write);
    return { machine: describeMachine(), cores, options, problems: bench.problems, rates, bursts, open, redemptions };
  } finally {
    worker.stop();
  }
}

/** What only ws bounds, of a worker of its own. */
async function measureOnWs(
  options: LimitsOptions,
  cores: Cores | undefined,
  write: (line: string) => void,
): Promise<Pick<LimitsResult, "rates" | "bursts" | "problems">> {
  const worker = await Child.start<LimitQuestions>(import.meta.url, "./limit-worker", cores?.server, ["ws"]);
  try {
    const bench = new LimitsBench(worker, await worker.ask("pid", undefined), options, write);
    await bench.warmUp(carrierStream("carrier_a"));
    const rates: RateCost[] = [];
    for (const limit of framingRates) rates.push(await bench.rate(limit));
    return { rates, bursts: await bench.bursts(framingBursts), problems: bench.problems };
  } finally {
    worker.stop();
  }
}

/** The carriers have their limits in common: the reduced form drives one of them. */
const chosen = ({ reduced }: LimitsOptions): readonly RateLimit[] => [
  ...rawLimits,
  ...schemaLimits,
  ...carrierLimits.filter(({ stream }) => !reduced || stream.name === "carrier_a"),
];
