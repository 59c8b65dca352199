import { setTimeout as delay } from "node:timers/promises";
import { NODE_LEASE_MS } from "../../../src/core/limits/cluster/nodes.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import type { CountingCaller } from "../../callers/counting-caller.ts";
import type { NetworkNamespaces } from "../../support/network/namespaces.ts";
import { Random } from "../../support/random.ts";
import { type Accident, Accidents } from "./accidents.ts";
import { Callers, hasBegun, type PlacedCall } from "./callers.ts";
import { ProofCluster, type ProofNode } from "./nodes.ts";

export const NODES = 3;
const LINES = 20;
/** Some last long enough to lose more than a segment. */
const CALL_MS = [1_000, 15_000] as const;
/** Of nodes that are cut off as a call begins on them: from one to the next, and from the begin of the call. */
const BETWEEN_CUTS_MS = 4_000;
const SINCE_BEGIN_MS_MAX = 300;
const BEGIN_POLL_MS = 5;
const SETTLE_MS_MAX = 120_000;
/** From the death of a node until its calls are recorded, at p99. */
export const RECORDED_MS_MAX = 12_000;
/** What is printed of a death whose calls were recorded late: from so long before it, and of what the nodes logged these lines. */
const BEFORE_DEATH_MS = 40_000;
const OF_NODES = /node registered|taken over|starts again|lease|process (died|started)|does not answer/;
/** The longest segment of a journal, and what a dead process may keep of it, in frames of 20 ms. */
const LOST_FRAMES_MAX = (5 + 1 + 1) * 50;

export interface KillTrialOptions {
  calls: number;
  kills: number;
  partitions: number;
  seed: number;
  /** The nodes' network, which is cut; without one a partition is a node that stands still, or that a proxy cuts off from Postgres. */
  network?: NetworkNamespaces;
  /** A node is cut off from Postgres as a call begins on it, and no other one happens. */
  cutsAsCallsBegin?: boolean;
}

export interface KillTrialResult extends Omit<KillTrialOptions, "network" | "cutsAsCallsBegin"> {
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
  /** From the death of a node until each of its calls was recorded, the fastest first. */
  recordings: readonly Recording[];
  endReasons: Readonly<Record<string, number>>;
  tookS: number;
}

/** How long a call of a node that died waited for its record. */
export interface Recording {
  id: string;
  diedMs: number;
  tookMs: number;
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

  constructor(options: KillTrialOptions, print: (line: string) => void) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#print = print;
  }

  async run(): Promise<KillTrialResult> {
    const startedMs = performance.now();
    const cluster = await ProofCluster.start(NODES, {}, { network: this.#options.network });
    try {
      const { calls, kills, partitions, network, cutsAsCallsBegin = false } = this.#options;
      const callers = new Callers(cluster, this.#random.fork());
      const accidents = new Accidents({
        ...{ cluster, random: this.#random, kills, partitions, network, print: this.#print },
        stoppedShare: cutsAsCallsBegin ? 0 : network === undefined ? 0.5 : 0.2,
        ...(cutsAsCallsBegin && { moment: () => this.#asACallBegins(cluster, callers) }),
      });
      const isEnough = (): boolean => accidents.isDone && callers.begun.length >= calls;
      await Promise.all([callers.dial(LINES, CALL_MS, isEnough), accidents.run(calls, () => callers.begun.length)]);
      const stuck = await this.#settle(cluster);
      return await this.#result(cluster, { callers, accidents, stuck, tookS: (performance.now() - startedMs) / 1_000 });
    } finally {
      await cluster.remove();
    }
  }

  /** Resolves with the node on which a call has begun just now. */
  async #asACallBegins(cluster: ProofCluster, callers: Callers): Promise<ProofNode | undefined> {
    await delay(BETWEEN_CUTS_MS);
    const before = new Set(callers.begun);
    for (;;) {
      await delay(BEGIN_POLL_MS);
      // Of a raced call it is not known yet which stream is taken.
      const begun = callers.begun.find((call) => !before.has(call) && call.callers.length === 1);
      if (begun === undefined) continue;
      await delay(this.#random.between(0, SINCE_BEGIN_MS_MAX));
      return cluster.nodes.find(({ mediaUrl }) => new URL(mediaUrl).host === begun.callers[0]?.host);
    }
  }

  /** Until every call has its record; resolves with the ids of those that never get one. */
  async #settle(cluster: ProofCluster): Promise<string[]> {
    for (const endMs = performance.now() + SETTLE_MS_MAX; ; await delay(500)) {
      const active = await cluster.activeCallIds();
      if (active.length === 0 || performance.now() > endMs) return active;
    }
  }

  async #result(
    cluster: ProofCluster,
    {
      callers,
      accidents,
      stuck,
      tookS,
    }: { callers: Callers; accidents: Accidents; stuck: readonly string[]; tookS: number },
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
    const audio = new ExpectedAudio(cluster, accidents);
    const lossy = callers.begun.filter((call) => audio.missingFrames(call, records.get(call.id)) > LOST_FRAMES_MAX);
    for (const { id } of lossy) for (const line of linesOf(cluster, id)) this.#print(line);
    const isRecorded = ({ id }: PlacedCall): boolean => ["ended", "failed"].includes(records.get(id)?.status ?? "");
    const timesOf = (id: string): number[] => logs.filter(({ callId }) => callId === id).map(({ time }) => time);
    const recordings = recordingsOf(callers, accidents, timesOf);
    for (const slow of bySlowDeath(recordings)) this.#printSlow(slow, cluster, accidents);
    const { network: _, cutsAsCallsBegin: __, ...options } = this.#options;
    return {
      ...options,
      cuts: accidents.cuts,
      begun: callers.begun.length,
      lost: callers.begun.filter((call) => !isRecorded(call)).map(({ id }) => id),
      doubled: callers.begun.filter(({ id }) => timesOf(id).length > 1).map(({ id }) => id),
      stuck,
      raced: callers.placed.filter((call) => call.callers.length > 1).length,
      redeemedTwice: callers.placed.filter((call) => call.callers.filter(hasBegun).length > 1).map(({ id }) => id),
      audioLost: lossy.map((call) => audio.describe(call, records.get(call.id))),
      recordings,
      endReasons,
      tookS,
    };
  }

  /** What happened to the nodes, and what they logged of their leases, processes and that call, as ms from the death. */
  #printSlow({ id, diedMs, tookMs }: Recording, { nodes }: ProofCluster, { happened }: Accidents): void {
    const isNear = (atMs: number): boolean => atMs > diedMs - BEFORE_DEATH_MS && atMs < diedMs + tookMs + 1_000;
    const accidents = happened.map(({ node, kind, atMs }) => ({ atMs, what: `${node}: ${kind}` }));
    const lines = nodes.flatMap(({ name, log }) =>
      log
        .split("\n")
        .filter((line) => line.startsWith("{") && line.endsWith("}"))
        .map((line) => JSON.parse(line) as { time: number; msg: string; callId?: string })
        .filter(({ msg, callId }) => callId === id || OF_NODES.test(msg))
        .map(({ time, msg, callId }) => ({
          atMs: time,
          what: `${name}: ${msg}${callId === undefined ? "" : ` ${id}`}`,
        })),
    );
    this.#print(`the last call of a death was recorded after ${tookMs} ms:`);
    for (const { atMs, what } of [...accidents, ...lines].toSorted((one, other) => one.atMs - other.atMs))
      if (isNear(atMs)) this.#print(`  ${String(atMs - diedMs).padStart(7)} ${what}`);
  }
}

/** The last call of each death whose calls were not all recorded in time. */
function bySlowDeath(recordings: readonly Recording[]): readonly Recording[] {
  const slow = recordings.filter(({ tookMs }) => tookMs > RECORDED_MS_MAX);
  return [...new Map(slow.map((recording) => [recording.diedMs, recording])).values()];
}

/** The calls whose streams broke at the death of a node. */
function recordingsOf(
  callers: Callers,
  { happened }: Accidents,
  timesOf: (id: string) => readonly number[],
): readonly Recording[] {
  const BREAK_MS_MAX = 1_000;
  const deaths = happened.filter(({ kind }) => kind === "kill");
  return callers.begun
    .flatMap(({ id, callers: streams }) => {
      const broken = streams.find(({ story }) => story.outcome === "lost");
      if (broken === undefined) return [];
      const brokeMs = broken.story.brokeMs + performance.timeOrigin;
      const death = deaths.find(({ atMs }) => Math.abs(brokeMs - atMs) < BREAK_MS_MAX);
      const [recorded] = timesOf(id);
      return death === undefined || recorded === undefined
        ? []
        : [{ id, diedMs: death.atMs, tookMs: recorded - death.atMs }];
    })
    .toSorted((one, other) => one.tookMs - other.tookMs);
}

/** How much of what callers sent must be in their records. */
class ExpectedAudio {
  readonly #cluster: ProofCluster;
  readonly #stops: readonly Accident[];

  constructor(cluster: ProofCluster, { happened }: Accidents) {
    this.#cluster = cluster;
    this.#stops = happened.filter(
      ({ kind, atMs }, at) => kind === "stop" && (happened[at + 1]?.atMs ?? atMs) - atMs > NODE_LEASE_MS,
    );
  }

  missingFrames(call: PlacedCall, record: StoredCall | undefined): number {
    return this.#expectedFrames(call, record) - (record?.counters?.framesIn ?? 0);
  }

  describe(call: PlacedCall, record: StoredCall | undefined): string {
    const frames = `${this.missingFrames(call, record)} of ${this.#expectedFrames(call, record)} frames`;
    return `${call.id}: ${frames}, ${record?.status} ${record?.endReason}`;
  }

  #expectedFrames({ callers }: PlacedCall, record: StoredCall | undefined): number {
    return Math.max(...callers.filter(hasBegun).map((caller) => this.#framesOf(caller, record)));
  }

  /**
   * What a node that stands still for longer than its lease does not read is lost with it: its calls are recorded by then, as far as it had
   * them.
   */
  #framesOf({ host, story }: CountingCaller, record: StoredCall | undefined): number {
    const node = this.#cluster.nodes.find(({ mediaUrl }) => new URL(mediaUrl).host === host);
    const [firstMs = Number.POSITIVE_INFINITY] = story.tenthsMs;
    const sinceMs = firstMs - 10 * FRAME_MS + performance.timeOrigin;
    const untilMs = story.brokeMs + performance.timeOrigin;
    const stop = this.#stops.find(({ node: name, atMs }) => name === node?.name && atMs > sinceMs && atMs < untilMs);
    if (record?.endReason !== "worker_lost" || stop === undefined) return story.sent;
    return 10 * story.tenthsMs.filter((sentMs) => sentMs + performance.timeOrigin <= stop.atMs).length;
  }
}

/** What the nodes logged of a call, with their names. */
const linesOf = ({ nodes }: ProofCluster, id: string): readonly string[] =>
  nodes.flatMap(({ name, log }) =>
    log
      .split("\n")
      .filter((line) => line.includes(id))
      .map((line) => `${name}: ${line}`),
  );

interface StoredLine {
  callId: string;
  time: number;
}

/** The lines that say that a call's record was stored. */
export const storedLines = (log: string): StoredLine[] =>
  log
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}") && line.includes('"call record stored"'))
    .map((line) => JSON.parse(line) as StoredLine);
