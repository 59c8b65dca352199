import { setTimeout as delay } from "node:timers/promises";
import { groupAtOtherEnd } from "../../support/network/socket-owner.ts";
import { Random } from "../../support/random.ts";
import { startsOf } from "../killed-service.ts";
import { ObservedCarrier } from "../telephony/carriers.ts";
import { Orders, reasonsOf } from "../telephony/orders.ts";
import { type CallEvidence, OVER, type TrialVerdict, verdictOf } from "../telephony/verdict.ts";
import { Accidents } from "./accidents.ts";
import { AnyNode } from "./any-node.ts";
import { Balancer } from "./balancer.ts";
import { NODES, storedLines } from "./kill-trial.ts";
import { ProofCluster, type ProofNode } from "./nodes.ts";

const RETRY_MS = 100;
const SOON_MS = [200, 2_000] as const;
/** How long an accident that waits for a request to dial waits. */
const ARMED_MS_MAX = 5_000;
/** Calls are placed for so many accidents in advance, spread over this time, so that some are under way at each. */
const ACCIDENTS_AHEAD = 2;
const TURN_MS = [0, 4_000] as const;

export interface TelephonyTrialOptions {
  calls: number;
  kills: number;
  partitions: number;
  seed: number;
  /** Without requests that get no answer, for which the service waits longest. */
  isShort: boolean;
}

export interface TelephonyTrialResult extends TelephonyTrialOptions {
  /** How many calls the carriers have placed. */
  placed: number;
  verdict: TrialVerdict;
  /** Orders without a call, and those that became several calls or records. */
  lost: readonly string[];
  doubled: readonly string[];
  stuck: readonly string[];
  /** Accidents that befell a node while its request to dial was at a carrier. */
  atDial: number;
  /** How many requests of carriers each node has taken, in the order of the nodes. */
  webhooks: readonly number[];
  reasons: Readonly<Record<string, number>>;
  tookS: number;
}

/** Outbound calls at emulated carriers, ordered at any of three nodes that are killed and cut off from Postgres. */
export class TelephonyTrial {
  readonly #options: TelephonyTrialOptions;
  readonly #random: Random;
  readonly #print: (line: string) => void;
  #atDial = 0;

  constructor(options: TelephonyTrialOptions, print: (line: string) => void) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#print = print;
  }

  async run(): Promise<TelephonyTrialResult> {
    const begunMs = performance.now();
    const { carriers, env } = await ObservedCarrier.startAll(this.#options.seed);
    const balancer = await Balancer.start();
    let cluster: ProofCluster | undefined;
    try {
      cluster = await ProofCluster.start(NODES, { PUBLIC_API_URL: balancer.url, ...env });
      balancer.leadTo(cluster.nodes);
      const { orders, accidents } = await this.#prepare(cluster, carriers);
      const { calls } = this.#options;
      const placingMs = Date.now();
      await Promise.all([orders.placeAll(), accidents.run(calls, () => orders.count)]);
      await orders.settle();
      const verdict = await this.#verdict(cluster, { orders, accidents, placingMs });
      const webhooks = cluster.nodes.map(({ apiUrl }) => balancer.taken.get(apiUrl) ?? 0);
      return {
        ...this.#options,
        ...verdict,
        placed: orders.placed,
        atDial: this.#atDial,
        webhooks,
        tookS: (performance.now() - begunMs) / 1_000,
      };
    } finally {
      for (const { emulator } of carriers) await emulator.stop();
      await cluster?.remove();
      await balancer.close();
    }
  }

  async #prepare(
    cluster: ProofCluster,
    carriers: readonly ObservedCarrier[],
  ): Promise<{ orders: Orders; accidents: Accidents }> {
    const { calls, kills, partitions, isShort } = this.#options;
    const [random, print] = [this.#random, this.#print];
    const turn = async (count: number): Promise<void> => {
      const mayBePlaced = (): boolean =>
        accidents.isDone || count < ((accidents.over + ACCIDENTS_AHEAD) * calls) / accidents.total;
      while (!mayBePlaced()) await delay(RETRY_MS);
      await delay(random.between(...TURN_MS));
    };
    const service = new AnyNode(cluster, random.fork());
    const orders = await Orders.prepare({ service, carriers, calls, random, isShort, turn });
    const moment = async (): Promise<ProofNode | undefined> =>
      random.chance(0.5) ? await this.#dialling(cluster, orders) : await delay(random.between(...SOON_MS), undefined);
    const accidents = new Accidents({ cluster, random, kills, partitions, stoppedShare: 0, moment, print });
    return { orders, accidents };
  }

  /** The node whose request to dial arrives at a carrier now: it may have been carried out, and the answer is not stored. */
  async #dialling(cluster: ProofCluster, orders: Orders): Promise<ProofNode | undefined> {
    return await new Promise((resolve) => {
      const give = (node: ProofNode | undefined): void => {
        orders.onDial(() => {});
        clearTimeout(timer);
        resolve(node);
      };
      const timer = setTimeout(() => give(undefined), ARMED_MS_MAX);
      // The carrier is in this process: it answers when the node was found.
      orders.onDial((socket) => {
        const group = groupAtOtherEnd(socket);
        const node = cluster.nodes.find(({ processGroup }) => processGroup !== undefined && processGroup === group);
        if (node !== undefined) this.#atDial += 1;
        give(node);
      });
    });
  }

  async #verdict(
    cluster: ProofCluster,
    { orders, accidents, placingMs }: { orders: Orders; accidents: Accidents; placingMs: number },
  ): Promise<Pick<TelephonyTrialResult, "verdict" | "lost" | "doubled" | "stuck" | "reasons">> {
    const calls = await orders.evidence();
    const logs = Object.fromEntries(cluster.nodes.map(({ name, log }) => [`the log of ${name}`, log]));
    // What a node was doing when it was cut off from Postgres it cannot store; and a busy machine's supervisor replaces processes itself.
    const accidentsMs = accidents.happened.map(({ atMs }) => atMs);
    const starts = Object.values(logs)
      .flatMap(startsOf)
      .filter(({ time }) => time > placingMs);
    const startsMs = (...kinds: readonly string[]): number[] =>
      starts.filter(({ kind }) => kinds.includes(kind)).map(({ time }) => time);
    const verdict = verdictOf({
      calls,
      controlKillsMs: [...accidentsMs, ...startsMs("control")],
      killsMs: [...accidentsMs, ...startsMs("control", "worker")],
      tokens: orders.tokens,
      texts: logs,
    });
    return {
      verdict,
      lost: calls.filter(({ status }) => status === "none").map(({ callId }) => callId || "an order without an answer"),
      stuck: calls.filter(({ status }) => status !== "none" && !OVER.includes(status)).map(idOf),
      doubled: await this.#doubled(cluster, calls, Object.values(logs)),
      reasons: reasonsOf(calls),
    };
  }

  /** Calls of the account that no order knows, or that were recorded twice. */
  async #doubled(cluster: ProofCluster, calls: readonly CallEvidence[], logs: readonly string[]): Promise<string[]> {
    const ordered = new Set(calls.map(idOf));
    const stored = await cluster.postgres.query<{ id: string }>("SELECT id FROM calls", cluster.databaseUrl);
    const recorded = logs.flatMap(storedLines).map(({ callId }) => callId);
    return [
      ...stored.filter(({ id }) => !ordered.has(id)).map(({ id }) => `${id}: of no order`),
      ...recorded.filter((id, index) => recorded.indexOf(id) !== index).map((id) => `${id}: recorded again`),
    ];
  }
}

const idOf = ({ callId }: CallEvidence): string => callId;
