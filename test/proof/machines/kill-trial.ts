import { setTimeout as delay } from "node:timers/promises";
import type { NetworkNamespaces } from "../../support/network/namespaces.ts";
import { Random } from "../../support/random.ts";
import { Callers, hasBegun, type PlacedCall } from "./callers.ts";
import { ProofCluster, type ProofNode } from "./nodes.ts";

export const NODES = 3;
const LINES = 20;
/** Some last long enough to lose more than a segment. */
const CALL_MS = [1_000, 15_000] as const;
const RETRY_MS = 100;
/** A killed node is back within this time: some are back before their lease has ended, some after. */
const BACK_MS = [0, 9_000] as const;
const STOPPED_MS = [3_000, 7_000, 30_000];
const CUT_OFF_MS = [3_000, 12_000] as const;
const SETTLE_MS_MAX = 120_000;
/** The longest segment of a journal, and what a dead process may keep of it, in frames of 20 ms. */
const LOST_FRAMES_MAX = (5 + 1 + 1) * 50;

export interface KillTrialOptions {
  calls: number;
  kills: number;
  partitions: number;
  seed: number;
  /** The nodes' network, which is cut; without one a partition is a node that stands still, or that a proxy cuts off from Postgres. */
  network?: NetworkNamespaces;
}

export interface KillTrialResult extends Omit<KillTrialOptions, "network"> {
  /** How often each kind of partition happened. */
  cuts: Readonly<Record<string, number>>;
  begun: number;
  lost: readonly string[];
  doubled: readonly string[];
  stuck: readonly string[];
  /** Calls of which two streams were taken. */
  redeemedTwice: readonly string[];
  raced: number;
  /** Calls of which more audio is missing than one segment, and how much. */
  audioLost: readonly string[];
  /** From the death of a node until each of its calls was recorded, ms, ascending. */
  recordedMs: readonly number[];
  endReasons: Readonly<Record<string, number>>;
  tookS: number;
}

interface Death {
  node: string;
  atMs: number;
}

interface StoredCall {
  status: string;
  endReason: string | null;
  counters: { framesIn: number } | null;
}

/** Calls at three nodes that are killed, stopped, and cut off from Postgres at random, one after the other. */
export class KillTrial {
  readonly #options: KillTrialOptions;
  readonly #random: Random;
  readonly #print: (line: string) => void;
  readonly #deaths: Death[] = [];
  readonly #cuts: Record<string, number> = {};
  #isDone = false;

  constructor(options: KillTrialOptions, print: (line: string) => void) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#print = print;
  }

  async run(): Promise<KillTrialResult> {
    const startedMs = performance.now();
    const cluster = await ProofCluster.start(NODES, {}, this.#options.network);
    try {
      const callers = new Callers(cluster, this.#random.fork());
      const isEnough = (): boolean => this.#isDone && callers.begun.length >= this.#options.calls;
      await Promise.all([callers.dial(LINES, CALL_MS, isEnough), this.#accidents(cluster, callers)]);
      const stuck = await this.#settle(cluster);
      return await this.#result(cluster, callers, stuck, (performance.now() - startedMs) / 1_000);
    } finally {
      await cluster.remove();
    }
  }

  /** Kills and partitions in random order, each when its share of the calls has begun. */
  async #accidents(cluster: ProofCluster, callers: Callers): Promise<void> {
    const { calls, kills, partitions } = this.#options;
    const total = kills + partitions;
    let [killsLeft, partitionsLeft] = [kills, partitions];
    for (let count = 0; count < total; count += 1) {
      while (callers.begun.length < (count * calls) / total) await delay(RETRY_MS);
      await delay(this.#random.between(500, 2_500));
      const node = this.#random.pick(cluster.nodes);
      const isKill = this.#random.next() < killsLeft / (killsLeft + partitionsLeft);
      if (isKill) {
        killsLeft -= 1;
        await this.#kill(node);
      } else {
        partitionsLeft -= 1;
        await this.#part(cluster, node);
      }
      if ((count + 1) % 10 === 0)
        this.#print(`  ${count + 1} of ${total} accidents, ${callers.begun.length} calls begun`);
    }
    this.#isDone = true;
  }

  async #kill(node: ProofNode): Promise<void> {
    this.#deaths.push({ node: node.name, atMs: Date.now() });
    await node.kill();
    await delay(this.#random.between(...BACK_MS));
    await node.start({ isDiskLost: this.#random.chance(0.3) });
  }

  /** The node stands still, or is cut off while its calls go on. */
  async #part(cluster: ProofCluster, node: ProofNode): Promise<void> {
    const { network } = this.#options;
    if (this.#random.chance(network === undefined ? 0.5 : 0.2)) {
      const stoppedMs = this.#random.pick(STOPPED_MS);
      this.#count(`stopped for ${stoppedMs / 1_000} s`);
      node.stop();
      await delay(stoppedMs);
      node.resume();
    } else if (network === undefined) {
      this.#count("cut off from Postgres by a proxy");
      node.cutOff();
      await delay(this.#random.between(...CUT_OFF_MS));
      node.reconnect();
    } else await this.#cutNetwork(cluster, node, network);
  }

  /** Packets are dropped, both ways or one way only, for as long as a lease or longer. */
  async #cutNetwork(cluster: ProofCluster, node: ProofNode, network: NetworkNamespaces): Promise<void> {
    const index = cluster.nodes.indexOf(node);
    const others = cluster.nodes.flatMap((_, n) => (n === index ? [] : [network.addressOf(n)]));
    const places = {
      Postgres: { port: node.postgresPort },
      "the bucket": { port: Number(new URL(cluster.s3.url).port) },
      "the other nodes": { peers: others },
    };
    const [name, place] = this.#random.pick(Object.entries(places));
    const direction = this.#random.pick(["both", "in", "out"] as const);
    this.#count(`${name}, ${direction === "both" ? "both ways" : direction}`);
    network.cut(index, { ...place, direction });
    await delay(this.#random.between(...CUT_OFF_MS));
    network.heal(index);
  }

  #count(kind: string): void {
    this.#cuts[kind] = (this.#cuts[kind] ?? 0) + 1;
  }

  /** Until every call has its record; resolves with the ids of those that never get one. */
  async #settle(cluster: ProofCluster): Promise<string[]> {
    return await cluster.withStores(async ({ calls }) => {
      for (const endMs = performance.now() + SETTLE_MS_MAX; ; await delay(500)) {
        const active = await calls.listActive();
        if (active.length === 0 || performance.now() > endMs) return active.map(({ id }) => id);
      }
    });
  }

  async #result(
    cluster: ProofCluster,
    callers: Callers,
    stuck: readonly string[],
    tookS: number,
  ): Promise<KillTrialResult> {
    const logs = cluster.nodes.flatMap((node) => storedLines(node.log));
    const [first] = cluster.nodes as [ProofNode];
    const records = new Map<string, StoredCall>();
    for (const { id } of callers.begun) {
      const response = await cluster.fetch(first, `/calls/${id}`);
      if (response?.status === 200) records.set(id, (await response.json()) as StoredCall);
    }
    const endReasons: Record<string, number> = {};
    for (const { endReason } of records.values()) {
      endReasons[endReason ?? "none"] = (endReasons[endReason ?? "none"] ?? 0) + 1;
    }
    const isRecorded = ({ id }: PlacedCall): boolean => ["ended", "failed"].includes(records.get(id)?.status ?? "");
    const timesOf = (id: string): number[] => logs.filter(({ callId }) => callId === id).map(({ time }) => time);
    const { network: _, ...options } = this.#options;
    return {
      ...options,
      cuts: this.#cuts,
      begun: callers.begun.length,
      lost: callers.begun.filter((call) => !isRecorded(call)).map(({ id }) => id),
      doubled: callers.begun.filter(({ id }) => timesOf(id).length > 1).map(({ id }) => id),
      stuck,
      raced: callers.placed.filter((call) => call.callers.length > 1).length,
      redeemedTwice: callers.placed.filter((call) => call.callers.filter(hasBegun).length > 1).map(({ id }) => id),
      audioLost: callers.begun.flatMap((call) => audioLost(call, records.get(call.id))),
      recordedMs: this.#recordedMs(callers, timesOf),
      endReasons,
      tookS,
    };
  }

  /** Of the calls whose streams broke at the death of a node: how long after it their records were stored. */
  #recordedMs(callers: Callers, timesOf: (id: string) => readonly number[]): number[] {
    const BREAK_MS_MAX = 1_000;
    return callers.begun
      .flatMap(({ id, callers: streams }) => {
        const broken = streams.find(({ story }) => story.outcome === "lost");
        if (broken === undefined) return [];
        const brokeMs = broken.story.brokeMs + performance.timeOrigin;
        const death = this.#deaths.find(({ atMs }) => Math.abs(brokeMs - atMs) < BREAK_MS_MAX);
        const [recorded] = timesOf(id);
        return death === undefined || recorded === undefined ? [] : [recorded - death.atMs];
      })
      .toSorted((one, other) => one - other);
  }
}

function audioLost({ id, callers }: PlacedCall, record: StoredCall | undefined): string[] {
  const sent = Math.max(...callers.filter(hasBegun).map(({ story }) => story.sent));
  const missing = sent - (record?.counters?.framesIn ?? 0);
  return missing > LOST_FRAMES_MAX ? [`${id}: ${missing} of ${sent} frames`] : [];
}

interface StoredLine {
  callId: string;
  time: number;
}

/** The lines that say that a call's record was stored. */
const storedLines = (log: string): StoredLine[] =>
  log
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}") && line.includes('"call record stored"'))
    .map((line) => JSON.parse(line) as StoredLine);
