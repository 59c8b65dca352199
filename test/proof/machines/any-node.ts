import { setTimeout as delay } from "node:timers/promises";
import type { Stores } from "../../../src/store/stores.ts";
import type { Random } from "../../support/random.ts";
import { type ApiAnswer, type AskedService, askUntilAnswered, type Method } from "../asked-service.ts";
import type { ProofCluster } from "./nodes.ts";

const RETRY_MS = 100;

/** The API of a cluster: each request goes to any node that is up. */
export class AnyNode implements AskedService {
  readonly #cluster: ProofCluster;
  readonly #random: Random;

  constructor(cluster: ProofCluster, random: Random) {
    this.#cluster = cluster;
    this.#random = random;
  }

  async api<Body>(
    method: Method,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ApiAnswer<Body> | undefined> {
    const up = this.#cluster.nodes.filter(({ isUp }) => isUp);
    if (up.length === 0) {
      await delay(RETRY_MS);
      return undefined;
    }
    const response = await this.#cluster.request(this.#random.pick(up), method, path, body, headers);
    const text = await response?.text().catch(() => undefined);
    return response === undefined || text === undefined
      ? undefined
      : { status: response.status, body: JSON.parse(text) as Body };
  }

  async ask<Body>(method: Method, path: string, body?: object): Promise<Body> {
    const answer = await askUntilAnswered<Body>(this, method, path, body);
    if (answer === undefined) throw new Error(`${method} ${path} got no answer of any node`);
    return answer;
  }

  async withStores<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
    return await this.#cluster.withStores(work);
  }
}
