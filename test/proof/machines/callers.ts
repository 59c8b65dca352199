import { setTimeout as delay } from "node:timers/promises";
import { CountingCaller } from "../../callers/counting-caller.ts";
import type { Random } from "../../support/random.ts";
import type { ProofCluster, ProofNode } from "./nodes.ts";

const FRAME_MS = 20;
const RETRY_MS = 100;
const HANG_UP_MS_MAX = 5_000;
export const NEW_CALL = {
  systemPrompt: "The bakery is closed on Monday.",
  voice: "reference/gmw/en-US",
  language: "en-US",
  connectionType: "carrier_a",
  firstSpeaker: "user",
  inactivityTimeout: 300,
};

/** A call that was created, and the streams that were opened with its token. */
export interface PlacedCall {
  id: string;
  callers: readonly CountingCaller[];
  createdMs: number;
}

/** Calls that are placed at any node that is up, one after the other on each line. Times are of `performance.now()`. */
export class Callers {
  readonly placed: PlacedCall[] = [];
  /** Creations that a node refused or did not answer although nothing was done to it. */
  readonly refused: string[] = [];
  readonly #cluster: ProofCluster;
  readonly #random: Random;

  constructor(cluster: ProofCluster, random: Random) {
    this.#cluster = cluster;
    this.#random = random;
  }

  /** Calls that had a stream. */
  get begun(): readonly PlacedCall[] {
    return this.placed.filter(({ callers }) => callers.some(hasBegun));
  }

  /** Calls on so many lines at once until `isEnough`. */
  async dial(lines: number, callMs: readonly [number, number], isEnough: () => boolean): Promise<void> {
    const line = async (): Promise<void> => {
      while (!isEnough()) await this.#place(this.#random.between(...callMs));
    };
    await Promise.all(Array.from({ length: lines }, line));
  }

  async #place(lastsMs: number): Promise<void> {
    const up = this.#cluster.nodes.filter(({ isUp }) => isUp);
    const node = up[this.#random.whole(0, up.length - 1)];
    if (node === undefined) {
      await delay(RETRY_MS);
      return;
    }
    const response = await this.#cluster.fetch(node, "/calls", NEW_CALL);
    if (response?.status !== 201) {
      if (node.isUp) this.refused.push(`${node.name}: ${response === undefined ? "no answer" : await response.text()}`);
      await delay(RETRY_MS);
      return;
    }
    const { id, websocketUrl } = (await response.json()) as { id: string; websocketUrl: string };
    const createdMs = performance.now();
    // Of ten calls one is raced: its token is shown to every node at once.
    const urls = this.placed.length % 10 === 0 ? this.#atEveryNode(websocketUrl) : [websocketUrl];
    const callers = urls.map((url) => new CountingCaller(id, url, () => performance.now()));
    this.placed.push({ id, callers, createdMs });
    for (let ms = 0; ms < lastsMs && callers.some((caller) => !caller.isOver); ms += FRAME_MS) {
      for (const caller of callers) caller.sendFrames(1);
      await delay(FRAME_MS);
    }
    for (const caller of callers) caller.hangUp();
    for (let ms = 0; ms < HANG_UP_MS_MAX && callers.some((caller) => !caller.isOver); ms += RETRY_MS)
      await delay(RETRY_MS);
  }

  #atEveryNode(websocketUrl: string): string[] {
    const { pathname } = new URL(websocketUrl);
    return this.#cluster.nodes.filter(isThere).map(({ mediaUrl }) => `${mediaUrl}${pathname}`);
  }
}

const isThere = ({ isUp }: ProofNode): boolean => isUp;

/** The stream was taken, however it ended. */
export const hasBegun = ({ story }: CountingCaller): boolean =>
  story.outcome !== "refused" && story.outcome !== "dialling";
