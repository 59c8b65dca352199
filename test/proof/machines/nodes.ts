import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ServiceReady } from "../../../src/core/child-processes/service-ready.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { openStores } from "../../../src/store/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { S3_CREDENTIALS, type S3Server, startS3Server } from "../../support/bucket/s3-server.ts";
import { freePort } from "../../support/network/free-port.ts";
import type { NetworkNamespaces } from "../../support/network/namespaces.ts";
import { PostgresProxy } from "../../support/postgres/proxy.ts";
import { PostgresServer } from "../../support/postgres/server.ts";
import { builtProgram } from "../../support/services/build.ts";
import type { Method } from "../asked-service.ts";

const READY_MS_MAX = 120_000;
/** What no server listens on: a node that is led there is cut off. */
const NO_PORT = 1;

/** Of the processes of a node that starts, beside 0 of all others: a machine that starts takes no processor from another one. */
const STARTING_NICENESS = 15;

interface ProofNodeOptions {
  name: string;
  folder: string;
  proxy: PostgresProxy;
  postgresPort: number;
  /** What runs it: Node.js, or that in a namespace. */
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  program: string;
}

/** One node: a whole built service, with its own way to Postgres and its own addresses, which outlive its processes. */
export class ProofNode {
  readonly name: string;
  apiUrl = "";
  readonly mediaUrl: string;
  /** It is there and takes requests, as far as the proof did nothing to it. */
  isUp = false;
  /** What its next start runs. */
  program: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #proxy: PostgresProxy;
  readonly #postgresPort: number;
  readonly #command: readonly string[];
  readonly #folder: string;
  #disks = 0;
  #child: ChildProcess | undefined;

  constructor({ name, folder, proxy, postgresPort, command, environment, program }: ProofNodeOptions) {
    this.name = name;
    this.program = program;
    this.#folder = folder;
    this.#proxy = proxy;
    this.#postgresPort = postgresPort;
    this.#command = command;
    this.#environment = environment;
    this.mediaUrl = environment.NODE_MEDIA_URL ?? "";
  }

  /** Starts it, on the disk that it had or on an empty one; resolves once it takes calls. */
  async start({ isDiskLost = false } = {}): Promise<void> {
    if (isDiskLost) {
      rmSync(this.#dataDir, { recursive: true, force: true });
      this.#disks += 1;
    }
    mkdirSync(this.#dataDir, { recursive: true });
    const log = openSync(this.#logPath, "a");
    const [execPath = process.execPath, ...execArgv] = this.#command;
    const child = fork(this.program, [], {
      execPath,
      execArgv,
      env: { ...this.#environment, NODE_NAME: this.name, DATA_DIR: this.#dataDir },
      stdio: ["ignore", log, log, "ipc"],
      detached: true,
    });
    closeSync(log);
    this.#child = child;
    setNiceness(child, STARTING_NICENESS);
    const signal = AbortSignal.timeout(READY_MS_MAX);
    const exited = once(child, "exit", { signal }).then(() => {
      throw new Error(`${this.name} did not start: ${this.log.slice(-1_500)}`);
    });
    exited.catch(() => {});
    const [ready] = (await Promise.race([once(child, "message", { signal }), exited])) as [ServiceReady];
    setNiceness(child, 0);
    this.apiUrl = ready.apiUrl;
    this.isUp = true;
  }

  /** Ends every process of it at once. */
  async kill(): Promise<void> {
    this.isUp = false;
    const exited = this.#child === undefined ? undefined : once(this.#child, "exit");
    this.#signal("SIGKILL");
    await exited;
    this.#child = undefined;
  }

  /** Drains it, as an orchestrator does; resolves when it has exited. */
  async drain(): Promise<void> {
    this.isUp = false;
    const child = this.#child;
    if (child === undefined) return;
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await exited;
    this.#child = undefined;
  }

  /** No process of it runs until it is resumed. */
  stop(): void {
    this.isUp = false;
    this.#signal("SIGSTOP");
  }

  resume(): void {
    this.#signal("SIGCONT");
    this.isUp = true;
  }

  /** It cannot reach Postgres any more. */
  cutOff(): void {
    this.#proxy.pointTo(NO_PORT);
    this.#proxy.cutAll();
  }

  reconnect(): void {
    this.#proxy.pointTo(this.#postgresPort);
  }

  /** Of all its processes; undefined while there are none. */
  get processGroup(): number | undefined {
    return this.#child?.pid;
  }

  /** Where it reaches Postgres. */
  get postgresPort(): number {
    return this.#proxy.address.port;
  }

  /** All that it has logged, on all of its disks. */
  get log(): string {
    return existsSync(this.#logPath) ? readFileSync(this.#logPath, "utf8") : "";
  }

  async remove(): Promise<void> {
    if (this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null)
      await this.kill();
    await this.#proxy.close();
  }

  get #dataDir(): string {
    return join(this.#folder, `${this.name}-${this.#disks}`);
  }

  get #logPath(): string {
    return join(this.#folder, `${this.name}.log`);
  }

  #signal(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // It has exited meanwhile.
    }
  }
}

/** Of all processes of its session, where the scheduler groups processes by sessions (sched(7), autogroup). */
function setNiceness({ pid }: ChildProcess, niceness: number): void {
  const path = `/proc/${pid}/autogroup`;
  if (existsSync(path)) writeFileSync(path, String(niceness));
}

/** An API key by the command of the build that the nodes run first: it makes the tables of the database as that build has them. */
function newApiKey(program: string, environment: Readonly<Record<string, string>>): string {
  const command = join(dirname(program), "cli/api-keys.js");
  const args = ["create", "--name", "proof", "--account", "proof", "--scopes", "read,calls,write,admin"];
  const options = { env: { ...process.env, ...environment }, encoding: "utf8", stdio: "pipe" } as const;
  return execFileSync(process.execPath, [command, ...args], options).trim();
}

interface ClusterPlace {
  /** Each node is in a namespace of its own. */
  network?: NetworkNamespaces | undefined;
  /** False where no node is cut off from Postgres: then no proxy of this process is between them, which would be measured. */
  isCutOff?: boolean;
  /** What the nodes run at first: this build, or another one. */
  program?: string;
}

/** Three nodes, what they share, and an API key. */
export class ProofCluster {
  readonly nodes: readonly ProofNode[];
  readonly apiKey: string;
  readonly postgres: PostgresServer;
  readonly databaseUrl: string;
  readonly s3: S3Server;
  readonly #folder: string;

  private constructor(
    parts: Pick<ProofCluster, "nodes" | "apiKey" | "postgres" | "databaseUrl" | "s3">,
    folder: string,
  ) {
    this.nodes = parts.nodes;
    this.apiKey = parts.apiKey;
    this.postgres = parts.postgres;
    this.databaseUrl = parts.databaseUrl;
    this.s3 = parts.s3;
    this.#folder = folder;
  }

  static async start(
    count: number,
    env: Readonly<Record<string, string>> = {},
    { network, isCutOff = true, program = builtProgram("main") }: ClusterPlace = {},
  ): Promise<ProofCluster> {
    const host = network?.hostAddress ?? "127.0.0.1";
    const folder = mkdtempSync(join(tmpdir(), "trunkline-machines-"));
    const settings = { shared_preload_libraries: "pg_stat_statements", "pg_stat_statements.max": "2000" };
    const postgres = await PostgresServer.start({ settings });
    const databaseUrl = await postgres.createDatabase();
    const directory = join(folder, "bucket");
    mkdirSync(directory);
    const s3 = await startS3Server({ directory, host });
    const apiKey = newApiKey(program, { DATA_DIR: folder, DATABASE_URL: databaseUrl });
    const secretsKey = randomBytes(32).toString("base64");
    const nodes = await Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const proxy = await PostgresProxy.start(postgres.port, host);
        const mediaPort = String(await freePort());
        const address = network?.addressOf(n) ?? "127.0.0.1";
        const environment = {
          API_HOST: address,
          API_PORT: String(await freePort()),
          MEDIA_HOST: address,
          MEDIA_PORT: mediaPort,
          NODE_MEDIA_URL: `ws://${address}:${mediaPort}`,
          METRICS_PORT: "off",
          STT: "reference",
          TTS: "reference",
          TMPDIR: tmpdir(),
          WORKERS: "1",
          DRAIN_MS: "30000",
          TOKEN_TTL_S: "10",
          DATABASE_URL: isCutOff ? proxy.url(databaseUrl) : databaseUrl,
          SECRETS_KEY: secretsKey,
          BUCKET_URL: s3.url,
          BUCKET_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
          BUCKET_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
          ...env,
        };
        return new ProofNode({
          name: `node-${n + 1}`,
          folder,
          proxy,
          postgresPort: postgres.port,
          command: network?.commandOf(n) ?? [],
          environment,
          program,
        });
      }),
    );
    const cluster = new ProofCluster({ nodes, apiKey, postgres, databaseUrl, s3 }, folder);
    try {
      for (const node of nodes) await node.start();
    } catch (error) {
      await cluster.remove();
      throw error;
    }
    return cluster;
  }

  /** Undefined where the node does not answer. */
  async fetch(node: ProofNode, path: string, body?: object): Promise<Response | undefined> {
    return await this.request(node, body === undefined ? "GET" : "POST", path, body);
  }

  /** As `fetch`, with any method. */
  async request(
    node: ProofNode,
    method: Method,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response | undefined> {
    return await fetch(`${node.apiUrl}/api/v1${path}`, {
      method,
      headers: { "X-API-Key": this.apiKey, "Content-Type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined);
  }

  async withStores<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
    const stores = await openStores({ dataDir: this.#folder, databaseUrl: this.databaseUrl }, systemClock);
    try {
      return await work(stores);
    } finally {
      await stores.close();
    }
  }

  /** Of all nodes: the stores of this process, which is no node, list none of theirs. */
  async activeCallIds(): Promise<string[]> {
    const text = "SELECT id FROM calls WHERE status = 'active'";
    return (await this.postgres.query<{ id: string }>(text, this.databaseUrl)).map(({ id }) => id);
  }

  async remove(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.remove()));
    await this.s3.close();
    await this.postgres.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
