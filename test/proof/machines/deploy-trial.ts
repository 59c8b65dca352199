import { setTimeout as delay } from "node:timers/promises";
import { Random } from "../../support/random.ts";
import { builtProgram } from "../../support/services/build.ts";
import type { OlderBuild } from "../checkout.ts";
import { Callers, type PlacedCall } from "./callers.ts";
import { storedLines } from "./kill-trial.ts";
import { ProofCluster, type ProofNode } from "./nodes.ts";

const NODES = 3;
const LINES = 8;
/** All of them are over before the drain deadline. */
const CALL_MS = [2_000, 8_000] as const;
/** Between two nodes. */
const PAUSE_MS = 4_000;
/** The way of a balancer: it learns of a drain before the node is asked to. */
const UNLISTED_MS = 1_000;
/** A killed node comes back when its calls are another node's. */
const BACK_MS = 8_000;
const ASKED_EVERY_MS = 250;
const POLL_MS = 20;
const SETTLE_MS_MAX = 60_000;
/** The streams of a node that is killed break within this time. */
const BREAK_MS_MAX = 1_000;

export interface DeployResult {
  begun: number;
  /** Creations that a node refused to which nothing was done. */
  refused: readonly string[];
  /** Calls whose streams broke although their nodes were not killed. */
  cut: readonly string[];
  lost: readonly string[];
  doubled: readonly string[];
  stuck: readonly string[];
  /** Created calls whose streams no node took, although theirs ran this build and was not killed. The older one may refuse what it drains. */
  unbegun: readonly string[];
  /** Calls of the node of this build that was killed beside two older ones, and of the older one beside two of this build, that those recorded. */
  recordedByOlder: number;
  recordedByNewer: number;
  /** Requests for live calls at a node of the other build: for events, and ends; and what was not answered as it should be. */
  asked: number;
  ended: number;
  unanswered: readonly string[];
}

/**
 * Replaces each of three nodes of an older build by this one under load. The first one is killed beside two older ones, and the last one
 * beside two of this build, so that the other build records its calls. Live calls are asked for, and ended, at nodes of the other build.
 */
export async function deployTrial(seed: number, { program }: OlderBuild): Promise<DeployResult> {
  const cluster = await ProofCluster.start(NODES, {}, { program });
  try {
    const trial = new DeployTrial(cluster, new Random(seed));
    return await trial.run();
  } finally {
    await cluster.remove();
  }
}

/** The death of a node, and whether it ran this build. All others ran the other one. */
interface Death {
  node: ProofNode;
  atMs: number;
  isNewer: boolean;
}

class DeployTrial {
  readonly #cluster: ProofCluster;
  readonly #callers: Callers;
  /** The nodes that run this build, and since when. */
  readonly #newer = new Map<ProofNode, number>();
  readonly #deaths: Death[] = [];
  readonly #unanswered: string[] = [];
  /** Calls that were ended by a request. */
  readonly #ended = new Set<string>();
  #asked = 0;
  #isDone = false;

  constructor(cluster: ProofCluster, random: Random) {
    this.#cluster = cluster;
    this.#callers = new Callers(cluster, random);
  }

  async run(): Promise<DeployResult> {
    await Promise.all([this.#callers.dial(LINES, CALL_MS, () => this.#isDone), this.#deploy(), this.#askMeanwhile()]);
    const stuck = await this.#settle();
    return await this.#result(stuck);
  }

  async #deploy(): Promise<void> {
    const [first, second, third] = this.#cluster.nodes as [ProofNode, ProofNode, ProofNode];
    try {
      await delay(PAUSE_MS);
      await this.#replace(first);
      await this.#kill(first);
      await this.#replace(second);
      await this.#kill(third);
    } finally {
      this.#isDone = true;
    }
  }

  async #replace(node: ProofNode): Promise<void> {
    node.isUp = false;
    await delay(UNLISTED_MS);
    await node.drain();
    await this.#startNewer(node);
  }

  async #kill(node: ProofNode): Promise<void> {
    while (!this.#callers.begun.some((call) => isLive(call) && this.#carrierOf(call) === node)) await delay(POLL_MS);
    this.#deaths.push({ node, atMs: performance.now(), isNewer: this.#newer.has(node) });
    await node.kill();
    await delay(BACK_MS);
    await this.#startNewer(node);
  }

  async #startNewer(node: ProofNode): Promise<void> {
    node.program = builtProgram("main");
    this.#newer.set(node, performance.now());
    await node.start();
    await delay(PAUSE_MS);
  }

  /** Live calls are looked at at a node of the other build, and every fourth is ended there. */
  async #askMeanwhile(): Promise<void> {
    for (let count = 1; !this.#isDone; count += 1) {
      await delay(ASKED_EVERY_MS);
      const live = this.#callers.begun.filter((call) => !this.#ended.has(call.id) && isLive(call));
      const call = live.at(count % Math.max(1, live.length));
      const node = call && this.#otherBuild(call);
      if (call !== undefined && node !== undefined) await this.#ask(call, node, count % 4 === 0);
    }
  }

  async #ask(call: PlacedCall, node: ProofNode, ends: boolean): Promise<void> {
    const path = `/calls/${call.id}/${ends ? "end" : "events"}`;
    const response = await this.#cluster.fetch(node, path, ends ? {} : undefined);
    if (response?.status === 202) this.#ended.add(call.id);
    else if (response?.status === 200) this.#asked += 1;
    // It may be over by then, and a node may be killed meanwhile.
    else if (isLive(call) && node.isUp && this.#carrierOf(call)?.isUp === true)
      this.#unanswered.push(`${path} at ${node.name}: ${response?.status ?? "no answer"}`);
  }

  /** A node that is up and runs the other build than that of the call. */
  #otherBuild(call: PlacedCall): ProofNode | undefined {
    const carrier = this.#carrierOf(call);
    if (carrier?.isUp !== true) return undefined;
    return this.#cluster.nodes.find((node) => node.isUp && this.#newer.has(node) !== this.#newer.has(carrier));
  }

  #carrierOf({ callers }: PlacedCall): ProofNode | undefined {
    const host = callers.find(({ story }) => story.outcome !== "refused" && story.outcome !== "dialling")?.host;
    return this.#cluster.nodes.find(({ mediaUrl }) => new URL(mediaUrl).host === host);
  }

  /** Until every call has its record; resolves with the ids of those that never get one. */
  async #settle(): Promise<string[]> {
    for (const endMs = performance.now() + SETTLE_MS_MAX; ; await delay(500)) {
      const active = await this.#cluster.activeCallIds();
      if (active.length === 0 || performance.now() > endMs) return active;
    }
  }

  async #result(stuck: readonly string[]): Promise<DeployResult> {
    const { begun, placed, refused } = this.#callers;
    const lost: string[] = [];
    for (const { id } of begun) {
      const { status, endReason } = await this.#recordOf(id);
      if (status !== "ended" && status !== "failed") lost.push(id);
      // The caller may have been faster.
      if (this.#ended.has(id) && endReason !== "api_hangup") this.#ended.delete(id);
    }
    const recorders = this.#recorders();
    const recordedBeside = (isNewer: boolean): number =>
      begun.filter((call) => {
        const death = this.#deathOf(call);
        return death?.isNewer === isNewer && recorders.get(call.id)?.[0] !== death.node;
      }).length;
    return {
      begun: begun.length,
      refused,
      cut: begun.filter((call) => this.#isCut(call)).map(({ id }) => id),
      unbegun: placed.filter((call) => !begun.includes(call) && this.#shouldHaveBegun(call)).map(({ id }) => id),
      lost,
      doubled: [...recorders].filter(([, nodes]) => nodes.length > 1).map(([id]) => id),
      stuck,
      recordedByOlder: recordedBeside(true),
      recordedByNewer: recordedBeside(false),
      asked: this.#asked,
      ended: this.#ended.size,
      unanswered: this.#unanswered,
    };
  }

  async #recordOf(id: string): Promise<{ status?: string; endReason?: string }> {
    const [first] = this.#cluster.nodes as [ProofNode];
    const response = await this.#cluster.fetch(first, `/calls/${id}`);
    return response?.status === 200 ? ((await response.json()) as { status: string; endReason: string }) : {};
  }

  /** The nodes that say that they have stored the record of a call. */
  #recorders(): ReadonlyMap<string, readonly ProofNode[]> {
    const recorders = new Map<string, ProofNode[]>();
    for (const node of this.#cluster.nodes)
      for (const { callId } of storedLines(node.log)) recorders.set(callId, [...(recorders.get(callId) ?? []), node]);
    return recorders;
  }

  /** The death of the node that carried the call, where that broke its stream. */
  #deathOf(call: PlacedCall): Death | undefined {
    const carrier = this.#carrierOf(call);
    const broken = call.callers.find(({ story }) => story.outcome === "lost");
    return this.#deaths.find(
      ({ node, atMs }) =>
        node === carrier && broken !== undefined && Math.abs(broken.story.brokeMs - atMs) < BREAK_MS_MAX,
    );
  }

  #isCut(call: PlacedCall): boolean {
    const isLost = call.callers.some(({ story }) => story.outcome === "lost");
    return isLost && !this.#ended.has(call.id) && this.#deathOf(call) === undefined;
  }

  /** Its nodes ran this build, and none of them was killed before its stream came. */
  #shouldHaveBegun({ callers, createdMs }: PlacedCall): boolean {
    return callers.every(({ host }) => {
      const node = this.#cluster.nodes.find(({ mediaUrl }) => new URL(mediaUrl).host === host);
      const newerSinceMs = (node && this.#newer.get(node)) ?? Number.POSITIVE_INFINITY;
      const isKilled = this.#deaths.some(
        (death) =>
          death.node === node && createdMs > death.atMs - BREAK_MS_MAX && createdMs < death.atMs + BACK_MS + PAUSE_MS,
      );
      return createdMs >= newerSinceMs && !isKilled;
    });
  }
}

const isLive = ({ callers }: PlacedCall): boolean => callers.some(({ story }) => story.outcome === "live");
