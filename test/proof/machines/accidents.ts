import { setTimeout as delay } from "node:timers/promises";
import type { NetworkNamespaces } from "../../support/network/namespaces.ts";
import type { Random } from "../../support/random.ts";
import type { ProofCluster, ProofNode } from "./nodes.ts";

const RETRY_MS = 100;
/** A killed node is back within this time: some are back before their lease has ended, some after. */
const BACK_MS = [0, 9_000] as const;
const STOPPED_MS = [3_000, 7_000, 30_000];
const CUT_OFF_MS = [3_000, 12_000] as const;
const PAUSE_MS = [500, 2_500] as const;

export interface AccidentsOptions {
  cluster: ProofCluster;
  random: Random;
  kills: number;
  partitions: number;
  /** Of the partitions, how many are a node that stands still. */
  stoppedShare: number;
  /** The nodes' network, which is cut; without one a proxy cuts a node off from Postgres. */
  network?: NetworkNamespaces | undefined;
  /** Resolves when the next one is to happen, with its node where that matters. Where it is absent, any node after a short while. */
  moment?: () => Promise<ProofNode | undefined>;
  print: (line: string) => void;
}

/** A kill, or the begin or end of a partition, or of a time in which the node stands still; Unix time. */
export interface Accident {
  node: string;
  kind: "kill" | "cut" | "stop" | "heal";
  atMs: number;
}

/** Kills and partitions of nodes in random order, one after the other. */
export class Accidents {
  readonly #options: AccidentsOptions;
  readonly happened: Accident[] = [];
  /** How often each kind of partition happened. */
  readonly cuts: Record<string, number> = {};
  /** How many are over. */
  over = 0;

  constructor(options: AccidentsOptions) {
    this.#options = options;
  }

  /** How many there are to be. */
  get total(): number {
    return this.#options.kills + this.#options.partitions;
  }

  get isDone(): boolean {
    return this.over === this.total;
  }

  /** Each when its share of the calls has begun. */
  async run(calls: number, begun: () => number): Promise<void> {
    const { cluster, random, kills, print } = this.#options;
    const { total } = this;
    let killsLeft = kills;
    for (let count = 0; count < total; count += 1) {
      while (begun() < (count * calls) / total) await delay(RETRY_MS);
      const node = (await this.#moment()) ?? random.pick(cluster.nodes);
      if (random.next() < killsLeft / (total - count)) {
        killsLeft -= 1;
        await this.#kill(node);
      } else await this.#part(node);
      this.over += 1;
      if ((count + 1) % 10 === 0) print(`  ${count + 1} of ${total} accidents, ${begun()} calls begun`);
    }
  }

  async #moment(): Promise<ProofNode | undefined> {
    const { moment, random } = this.#options;
    if (moment !== undefined) return await moment();
    await delay(random.between(...PAUSE_MS));
    return undefined;
  }

  async #kill(node: ProofNode): Promise<void> {
    const { random } = this.#options;
    this.#note(node, "kill");
    await node.kill();
    await delay(random.between(...BACK_MS));
    await node.start({ isDiskLost: random.chance(0.3) });
  }

  /** The node stands still, or is cut off while its calls go on. */
  async #part(node: ProofNode): Promise<void> {
    const { network, random, stoppedShare } = this.#options;
    const isStopped = random.chance(stoppedShare);
    this.#note(node, isStopped ? "stop" : "cut");
    if (isStopped) {
      const stoppedMs = random.pick(STOPPED_MS);
      this.#count(`stopped for ${stoppedMs / 1_000} s`);
      node.stop();
      await delay(stoppedMs);
      node.resume();
    } else if (network === undefined) {
      this.#count("cut off from Postgres by a proxy");
      node.cutOff();
      await delay(random.between(...CUT_OFF_MS));
      node.reconnect();
    } else await this.#cutNetwork(node, network);
    this.#note(node, "heal");
  }

  /** Packets are dropped, both ways or one way only, for as long as a lease or longer. */
  async #cutNetwork(node: ProofNode, network: NetworkNamespaces): Promise<void> {
    const { cluster, random } = this.#options;
    const index = cluster.nodes.indexOf(node);
    const others = cluster.nodes.flatMap((_, n) => (n === index ? [] : [network.addressOf(n)]));
    const places = {
      Postgres: { port: node.postgresPort },
      "the bucket": { port: Number(new URL(cluster.s3.url).port) },
      "the other nodes": { peers: others },
    };
    const [name, place] = random.pick(Object.entries(places));
    const direction = random.pick(["both", "in", "out"] as const);
    this.#count(`${name}, ${direction === "both" ? "both ways" : direction}`);
    network.cut(index, { ...place, direction });
    await delay(random.between(...CUT_OFF_MS));
    network.heal(index);
  }

  #note({ name }: ProofNode, kind: Accident["kind"]): void {
    this.happened.push({ node: name, kind, atMs: Date.now() });
  }

  #count(kind: string): void {
    this.cuts[kind] = (this.cuts[kind] ?? 0) + 1;
  }
}
