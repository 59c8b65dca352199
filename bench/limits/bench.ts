import { setTimeout as delay } from "node:timers/promises";
import { encodeFrame, OPCODE } from "../../test/support/network/raw-ws.ts";
import { describeMachine } from "../harness/machine.ts";
import { commitHere } from "../harness/project.ts";
import { meanWithError, median } from "../harness/statistics.ts";
import { Child } from "../rig/child-process.ts";
import { type Cores, findCores, pin } from "../rig/cpu-cores.ts";
import { measureRedemptions } from "./api/redemption-delay.ts";
import { measureUnlimitedRequests } from "./api/unlimited-requests.ts";
import { CALIBRATION_WARM_UPS, slowdownOf } from "./calibration.ts";
import { type BurstLimit, GROSS_TRIES_MAX, type LimitStream, type RateLimit } from "./limit.ts";
import { LimitPeer, SECOND_MS } from "./peer.ts";
import type { BurstCost, LimitsOptions, LimitsResult, RateCost } from "./result.ts";
import { burstLimits } from "./streams/bursts.ts";
import { carrierLimits } from "./streams/carriers.ts";
import { framingBursts, framingRates } from "./streams/framing.ts";
import { schemaLimits } from "./streams/schemas.ts";
import { carrierStream } from "./streams/streams.ts";
import { rawLimits } from "./streams/websocket.ts";
import { threadCpuMs } from "./thread-cpu.ts";
import { isGrossBurst, isGrossRate, measuredAgain, rateVerdict } from "./verdict.ts";
import type { LimitQuestions } from "./worker.ts";

/** Part of a second in which units are sent that are measured together. */
const AT_ONCE_PART = 0.4;
/** Part of a second in which the reduced form sends its part of a second's units. */
const REDUCED_PART = 0.4;
/** Rounds are added, up to so many times as many, until the figure is good enough. */
const MORE_TIMES_MAX = 3;
/** How long the worker runs before anything is measured. */
const WARM_UP_S = 2;
/** A call that has just been opened is let alone for so long, ms. */
const OPENED_MS = 300;
/** Before and after each round its call is idle for this part of the round. */
const IDLE_PART = 0.5;
/** From when a burst has been read until all that it causes is over. */
const SETTLE_MS = 400;
/** How often each request is sent that no limit bounds. */
const OPEN_REQUESTS = 200;
const PONG_MS = 10_000;
const TRIES_MAX = 4;

/** CPU time that the loop's thread had used at one time. */
interface Reading {
  atMs: number;
  cpuMs: number;
}

interface MeasuredBurst {
  limit: BurstLimit;
  cost: BurstCost;
  /** The worker ended its call. */
  ended: boolean;
}

const shareBetween = (from: Reading, to: Reading): number => (to.cpuMs - from.cpuMs) / (to.atMs - from.atMs);

const isGood = (cost: RateCost | undefined): boolean => cost !== undefined && rateVerdict(cost) !== "not measured";

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

  async rate(limit: RateLimit): Promise<RateCost> {
    if (!this.#options.reduced) return await this.#rate(limit);
    const measure = async (): Promise<RateCost> => ({ ...(await this.#rate(limit)), slowdown: await this.#slowdown() });
    return await measuredAgain(measure, isGrossRate, GROSS_TRIES_MAX);
  }

  /** Where the machine held the worker up, two seconds' worth came within one and ended the call: that is measured again. */
  async #rate(limit: RateLimit): Promise<RateCost> {
    const what = `${limit.stream.name}, ${limit.name}`;
    for (let tries = 1; ; tries += 1) {
      const { cost, ended } = await this.#rounds(limit);
      if (ended && tries < TRIES_MAX) continue;
      if (ended) this.problems.push(`${what}: the call ended`);
      this.#write(`${what}: ${(100 * cost.share).toFixed(2)} ± ${(100 * cost.shareError).toFixed(2)} % of the loop`);
      return cost;
    }
  }

  /** Each round stands between two times in which its call is idle: what changes slowly counts for nothing. */
  async #rounds(limit: RateLimit): Promise<{ cost: RateCost; ended: boolean }> {
    const { name, stream, bounds, perSecond, atOnce } = limit;
    const { reduced, seconds: rounds } = this.#options;
    const part = atOnce !== undefined ? AT_ONCE_PART : reduced ? REDUCED_PART : 1;
    const units = atOnce ?? Math.floor(perSecond * part);
    const roundsMax = reduced ? rounds : rounds * MORE_TIMES_MAX;
    const idleMs = SECOND_MS * part * IDLE_PART;
    const unitsUs: number[] = [];
    let sent = 0;
    let peer: LimitPeer | undefined;
    let idleShare = Number.NaN;
    let cost: RateCost | undefined;
    for (let round = 0; round < rounds || (round < roundsMax && !isGood(cost)); round += 1) {
      if (peer === undefined || atOnce !== undefined) {
        peer?.close();
        peer = await LimitPeer.open(this.#worker, stream);
        await delay(OPENED_MS);
        if (atOnce === undefined) sent += await peer.send(limit, units, part, sent);
        idleShare = await this.#idleShare(idleMs);
      }
      const before = this.#read();
      const count = await peer.send(limit, units, part, sent);
      const after = this.#read();
      if (peer.ended) break;
      const idleAfter = await this.#idleShare(idleMs);
      const idleCpuMs = ((idleShare + idleAfter) / 2) * (after.atMs - before.atMs);
      unitsUs.push((1_000 * (after.cpuMs - before.cpuMs - idleCpuMs)) / count);
      sent += count;
      idleShare = idleAfter;
      const { mean: unitUs, error: errorUs } = meanWithError(unitsUs);
      const [share, shareError] = [(unitUs * perSecond) / 1e6, (errorUs * perSecond) / 1e6];
      cost = { name, stream: stream.name, bounds, perSecond, unitUs, errorUs, share, shareError };
    }
    peer?.close();
    const none = { unitUs: Number.NaN, errorUs: Number.NaN, share: Number.NaN, shareError: Number.NaN };
    return {
      cost: cost ?? { name, stream: stream.name, bounds, perSecond, ...none },
      ended: peer?.ended === true && unitsUs.length < rounds,
    };
  }

  async #idleShare(forMs: number): Promise<number> {
    const from = this.#read();
    await delay(forMs);
    return shareBetween(from, this.#read());
  }

  async bursts(limits: readonly BurstLimit[]): Promise<BurstCost[]> {
    const costs: BurstCost[] = [];
    for (const first of await this.#bursts(limits)) {
      const { limit } = first;
      const again = async (): Promise<MeasuredBurst> => (await this.#bursts([limit]))[0] ?? first;
      // One that needs a long pause before it is not repeated.
      const mayRepeat = limit.silentMs === 0 && this.#isToRepeat(first);
      const last = mayRepeat ? await measuredAgain(again, (one) => this.#isToRepeat(one), TRIES_MAX - 1) : first;
      if (last.ended) this.problems.push(`${limit.stream.name}, ${limit.name}: the call ended`);
      costs.push(last.cost);
    }
    return costs;
  }

  #isToRepeat({ cost, ended }: MeasuredBurst): boolean {
    return ended || (this.#options.reduced && isGrossBurst(cost));
  }

  async #bursts(limits: readonly BurstLimit[]): Promise<readonly MeasuredBurst[]> {
    const { bursts, reduced } = this.#options;
    const silent = Math.max(0, ...limits.map(({ silentMs }) => silentMs));
    // A backlog must not become older than it may be while others are sent.
    const inOrder = limits.toSorted((a, b) => b.silentMs - a.silentMs);
    const costs = inOrder.map((limit) => ({ limit, ms: [] as number[], bytes: 0, ended: false, slowdown: 1 }));
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
    let pongMs = performance.now();
    for (const [index, { cost, peer }] of peers.entries()) {
      // Those that wait for their turn must not be taken for lost.
      if (performance.now() - pongMs > PONG_MS) {
        pongMs = performance.now();
        for (const { peer: waiting } of peers.slice(index)) waiting.write(pong);
        await delay(SETTLE_MS);
      }
      const bytes = cost.limit.burst();
      cost.bytes = bytes.length;
      const idle = this.#read();
      await delay(SETTLE_MS);
      const before = this.#read();
      await peer.sendAll(bytes);
      await delay(SETTLE_MS);
      const after = this.#read();
      if (peer.ended) cost.ended = true;
      await delay(SETTLE_MS);
      const idleShare = (shareBetween(idle, before) + shareBetween(after, this.#read())) / 2;
      cost.ms.push(after.cpuMs - before.cpuMs - idleShare * (after.atMs - before.atMs));
      peer.close();
      if (reduced) cost.slowdown = await this.#slowdown();
    }
    return costs.map(({ limit, ms, bytes, ended, slowdown }) => {
      const { name, stream, bounds } = limit;
      const [minMs, medianMs, maxMs] = [Math.min(...ms), median(ms), Math.max(...ms)];
      this.#write(`${stream.name}, ${name}, at once: ${medianMs.toFixed(1)} ms of the loop`);
      const cost = { name, stream: stream.name, bounds, bytes, minMs, medianMs, maxMs, ...(reduced && { slowdown }) };
      return { limit, cost, ended };
    });
  }

  /** The first call after a start costs more than all later ones, idle or not. */
  async warmUp(stream: LimitStream): Promise<void> {
    const peer = await LimitPeer.open(this.#worker, stream);
    await delay(WARM_UP_S * 1_000);
    peer.close();
    if (!this.#options.reduced) return;
    for (let times = 0; times < CALIBRATION_WARM_UPS; times += 1) await this.#worker.ask("calibrate", undefined);
  }

  /** How slow the worker's thread is now. */
  async #slowdown(): Promise<number> {
    const before = this.#read();
    await this.#worker.ask("calibrate", undefined);
    return slowdownOf(this.#read().cpuMs - before.cpuMs);
  }

  #read(): Reading {
    return { atMs: performance.now(), cpuMs: threadCpuMs(this.#pid) };
  }
}

/** Drives a worker at the maximum of each limit, one after the other. Rejects when a stream is refused. */
export async function runLimitsBench(options: LimitsOptions, write: (line: string) => void): Promise<LimitsResult> {
  const cores = findCores();
  const commit = commitHere();
  const worker = await Child.start<LimitQuestions>(import.meta.url, "./worker", { core: cores?.server });
  if (cores !== undefined) pin(process.pid, cores.others);
  try {
    const bench = new LimitsBench(worker, await worker.ask("pid", undefined), options, write);
    await bench.warmUp(carrierStream("carrier_a"));
    const rates: RateCost[] = [];
    for (const limit of chosen(options)) rates.push(await bench.rate(limit));
    const bursts = [];
    const burstsChosen = burstLimits.filter((limit) => isWanted(limit, options));
    for (const waits of options.reduced ? [false] : [false, true]) {
      bursts.push(...(await bench.bursts(burstsChosen.filter(({ silentMs }) => silentMs > 0 === waits))));
    }
    const onWs = await measureOnWs(options, cores, write);
    bench.problems.push(...onWs.problems);
    rates.push(...onWs.rates);
    bursts.push(...onWs.bursts);
    const isWhole = !options.reduced && options.only === "";
    const open = isWhole ? await measureUnlimitedRequests(OPEN_REQUESTS, write) : [];
    const redemptions = isWhole ? await measureRedemptions(write) : [];
    const { problems } = bench;
    return { machine: describeMachine(), commit, cores, options, problems, rates, bursts, open, redemptions };
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
  const worker = await Child.start<LimitQuestions>(import.meta.url, "./worker", { core: cores?.server, args: ["ws"] });
  try {
    const bench = new LimitsBench(worker, await worker.ask("pid", undefined), options, write);
    await bench.warmUp(carrierStream("carrier_a"));
    const rates: RateCost[] = [];
    for (const limit of framingRates.filter((one) => isWanted(one, options))) rates.push(await bench.rate(limit));
    const bursts = await bench.bursts(framingBursts.filter((one) => isWanted(one, options)));
    return { rates, bursts, problems: bench.problems };
  } finally {
    worker.stop();
  }
}

/** The carriers have their limits in common: the reduced form drives one of them. */
const chosen = (options: LimitsOptions): readonly RateLimit[] =>
  [
    ...rawLimits,
    ...schemaLimits,
    ...carrierLimits.filter(({ stream }) => !options.reduced || stream.name === "carrier_a"),
  ].filter((limit) => isWanted(limit, options));

const isWanted = ({ name, stream }: RateLimit | BurstLimit, { only }: LimitsOptions): boolean =>
  `${stream.name}, ${name}`.includes(only);
