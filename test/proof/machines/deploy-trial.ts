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
  /** Calls of killed nodes that the other build recorded. */
  recordedByOther: number;
  /** Requests for live calls at a node of the other build, and those that were not answered as they should be. */
  asked: number;
  unanswered: readonly string[];
}

/**
 * Replaces each of three nodes of an older build by this one under load. Between, while both builds run, a node of each is killed, and
 * comes back as this build; and live calls are asked for, and ended, at nodes of the other build.
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

/** The death of a node, and which nodes ran this build then. */
interface Death {
  node: ProofNode;
  atMs: number;
  newer: ReadonlySet<ProofNode>;
}

class DeployTrial {
  readonly #cluster: ProofCluster;
  readonly #callers: Callers;
  readonly #newer = new Set<ProofNode>();
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
      await this.#kill(third);
      await this.#kill(first);
      await this.#replace(second);
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
    this.#deaths.push({ node, atMs: performance.now(), newer: new Set(this.#newer) });
    await node.kill();
    await delay(BACK_MS);
    await this.#startNewer(node);
  }

  async #startNewer(node: ProofNode): Promise<void> {
    node.program = builtProgram("main");
    this.#newer.add(node);
    await node.start();
    await delay(PAUSE_MS);
  }

  /** Live calls are looked at at a node of the other build, and every fourth is ended there. */
  async #askMeanwhile(): Promise<void> {
    while (!this.#isDone) {
      await delay(ASKED_EVERY_MS);
      const live = this.#callers.begun.filter((call) => !this.#ended.has(call.id) && isLive(call));
      const call = live.at(this.#asked % Math.max(1, live.length));
      const node = call && this.#otherBuild(call);
      if (call === undefined || node === undefined) continue;
      this.#asked += 1;
      const ends = this.#asked % 4 === 0;
      if (ends) this.#ended.add(call.id);
      const response = ends
        ? await this.#cluster.fetch(node, `/calls/${call.id}/end`, {})
        : await this.#cluster.fetch(node, `/calls/${call.id}/events`);
      const isFine = ends ? [202, 409].includes(response?.status ?? 0) : response?.status === 200;
      // A call may be over by then, and a node may be killed meanwhile.
      if (!isFine && node.isUp && this.#isUndisturbed(call))
        this.#unanswered.push(`${ends ? "end" : "events"} at ${node.name}: ${response?.status ?? "no answer"}`);
    }
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

  #isUndisturbed(call: PlacedCall): boolean {
    return this.#carrierOf(call)?.isUp === true;
  }

  /** Until every call has its record; resolves with the ids of those that never get one. */
  async #settle(): Promise<string[]> {
    for (const endMs = performance.now() + SETTLE_MS_MAX; ; await delay(500)) {
      const active = await this.#cluster.activeCallIds();
      if (active.length === 0 || performance.now() > endMs) return active;
    }
  }

  async #result(stuck: readonly string[]): Promise<DeployResult> {
    const { begun, refused } = this.#callers;
    const [first] = this.#cluster.nodes as [ProofNode];
    const lost: string[] = [];
    for (const { id } of begun) {
      const response = await this.#cluster.fetch(first, `/calls/${id}`);
      const { status = "" } = response?.status === 200 ? ((await response.json()) as { status: string }) : {};
      if (status !== "ended" && status !== "failed") lost.push(id);
    }
    const recorders = this.#recorders();
    return {
      begun: begun.length,
      refused,
      cut: begun.filter((call) => this.#isCut(call)).map(({ id }) => id),
      lost,
      doubled: [...recorders].filter(([, nodes]) => nodes.length > 1).map(([id]) => id),
      stuck,
      recordedByOther: begun.filter((call) => this.#isRecordedByOther(call, recorders.get(call.id) ?? [])).length,
      asked: this.#asked,
      unanswered: this.#unanswered,
    };
  }

  /** The nodes that say that they have stored the record of a call. */
  #recorders(): ReadonlyMap<string, readonly ProofNode[]> {
    const recorders = new Map<string, ProofNode[]>();
    for (const node of this.#cluster.nodes)
      for (const { callId } of storedLines(node.log)) recorders.set(callId, [...(recorders.get(callId) ?? []), node]);
    return recorders;
  }

  #deathOf({ callers }: PlacedCall): Death | undefined {
    const broken = callers.find(({ story }) => story.outcome === "lost");
    return broken && this.#deaths.find(({ atMs }) => Math.abs(broken.story.brokeMs - atMs) < BREAK_MS_MAX);
  }

  #isRecordedByOther(call: PlacedCall, [recorder]: readonly ProofNode[]): boolean {
    const death = this.#deathOf(call);
    if (death === undefined || recorder === undefined) return false;
    return death.newer.has(recorder) !== death.newer.has(death.node);
  }

  #isCut(call: PlacedCall): boolean {
    const isLost = call.callers.some(({ story }) => story.outcome === "lost");
    return isLost && !this.#ended.has(call.id) && this.#deathOf(call) === undefined;
  }
}

const isLive = ({ callers }: PlacedCall): boolean => callers.some(({ story }) => story.outcome === "live");
