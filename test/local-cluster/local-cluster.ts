import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../../src/core/clock.ts";
import { type RunningService, startService } from "../../src/simulator/service/process.ts";
import { firstApiKeyPath } from "../../src/store/data-dir/first-api-key.ts";
import { S3_CREDENTIALS, type S3Server, startS3Server } from "../support/bucket/s3-server.ts";
import { freePort } from "../support/network/free-port.ts";
import { hasPostgres, PostgresServer } from "../support/postgres/server.ts";
import { builtProgram } from "../support/services/build.ts";

/** The first start makes all tables; a busy machine takes its time. */
const READY_MS_MAX = 120_000;
const KNOWN_POLL_MS = 200;

export interface LocalNode extends RunningService {
  name: string;
  dataDir: string;
}

export interface LocalClusterOptions {
  nodes: number;
  /** One line of progress. */
  say: (line: string) => void;
  /** Ends the start. */
  signal: AbortSignal;
  /** Environment variables of every node, beside those that make it one. */
  env?: Readonly<Record<string, string>>;
}

/** A cluster on this machine: a Postgres and an S3 server of its own, and built nodes that share them. */
export class LocalCluster {
  readonly nodes: LocalNode[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), "trunkline-cluster-"));
  #postgres: PostgresServer | undefined;
  #s3: S3Server | undefined;

  private constructor() {}

  /** Starts all of it; what was started is stopped when something does not start. */
  static async start(options: LocalClusterOptions): Promise<LocalCluster> {
    const cluster = new LocalCluster();
    try {
      await cluster.#start(options);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** The API key that the first node made. */
  get apiKey(): string {
    const [first] = this.nodes;
    return first === undefined ? "" : readFileSync(firstApiKeyPath(first.dataDir), "utf8").trim();
  }

  /** Stops the nodes together, as their calls end, then what they share; everything is deleted. */
  async stop(): Promise<void> {
    await Promise.all(this.nodes.splice(0).map((node) => node.stop()));
    await this.#s3?.close();
    await this.#postgres?.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #start({ nodes, say, signal, env }: LocalClusterOptions): Promise<void> {
    if (!hasPostgres) throw new Error("PostgreSQL is not installed: on Debian, apt-get install postgresql");
    say("Postgres: starting");
    this.#postgres = await PostgresServer.start();
    const databaseUrl = await this.#postgres.createDatabase();
    say(`Postgres: ${databaseUrl}`);
    const directory = join(this.#folder, "bucket");
    mkdirSync(directory);
    this.#s3 = await startS3Server({ directory });
    say(`bucket: ${this.#s3.url}`);
    const shared = {
      DATABASE_URL: databaseUrl,
      SECRETS_KEY: randomBytes(32).toString("base64"),
      BUCKET_URL: this.#s3.url,
      BUCKET_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
      BUCKET_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
      WORKERS: "1",
      ...env,
    };
    // One after the other: the first makes the tables and the API key.
    for (let n = 1; n <= nodes; n += 1) {
      signal.throwIfAborted();
      say(`node-${n}: starting`);
      const node = await this.#startNode(`node-${n}`, shared, signal);
      say(`node-${n}: ${node.apiUrl}`);
    }
    await this.#untilKnown(signal);
  }

  /** Until each node knows that all of them take calls, which they announce about once a second. */
  async #untilKnown(signal: AbortSignal): Promise<void> {
    const headers = { "X-API-Key": this.apiKey };
    for (const { apiUrl } of this.nodes) {
      for (;;) {
        const response = await fetch(`${apiUrl}/api/v1/status`, { headers, signal });
        const { nodes } = (await response.json()) as { nodes: readonly { state: string }[] };
        if (nodes.filter(({ state }) => state === "accepting").length === this.nodes.length) break;
        await delay(KNOWN_POLL_MS, undefined, { signal });
      }
    }
  }

  async #startNode(name: string, env: Readonly<Record<string, string>>, signal: AbortSignal): Promise<LocalNode> {
    const program = { path: builtProgram("main"), execArgv: [] };
    const dataDir = join(this.#folder, name);
    const mediaPort = await freePort();
    const own = { NODE_NAME: name, MEDIA_PORT: String(mediaPort), NODE_MEDIA_URL: `ws://127.0.0.1:${mediaPort}` };
    const options = { program, dataDir, clock: systemClock, readyMsMax: READY_MS_MAX, env: { ...env, ...own } };
    const node = { ...(await startService(options, signal)), name, dataDir };
    this.nodes.push(node);
    return node;
  }
}
