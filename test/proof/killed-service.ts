import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, mkdtempSync, openAsBlob, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ServiceReady } from "../../src/core/child-processes/service-ready.ts";
import { systemClock } from "../../src/core/clock.ts";
import { openStores, type StorePlace } from "../../src/store/open-stores.ts";
import type { Stores } from "../../src/store/stores.ts";
import { freePort } from "../support/network/free-port.ts";
import { PostgresServer } from "../support/postgres/server.ts";
import { type ApiAnswer, type AskedService, askUntilAnswered, isForLater, type Method } from "./asked-service.ts";

const PROGRAM = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const READY_MS_MAX = 90_000;
const START_TRIES_MAX = 6;
const LOG_TAIL_CHARS = 2_000;
const REQUEST_MS_MAX = 15_000;
/** How long a request is repeated while nothing answers: on a busy machine a service that is killed every few seconds seldom does. */
const ASK_MS_MAX = 300_000;
const RETRY_MS = 500;
/** With what events the account's own webhook is called. */
const EVENT_TYPES = [
  "call.created",
  "call.started",
  "call.ended",
  "transcription.completed",
  "transcription.failed",
  "document.ready",
  "document.failed",
] as const;

export type StoreName = "SQLite" | "Postgres";

/** What a kill ends: one process, or the supervisor with all of them. */
export type Victim = "control" | "worker" | "transcriber" | "ingester" | "retrieval" | "service";

/** The built service on a store, whose processes are killed. It stays at the same address. */
export class KilledService implements AskedService {
  readonly dataDir = mkdtempSync(join(tmpdir(), "trunkline-telephony-"));
  readonly #env: Readonly<Record<string, string>>;
  readonly #postgres: PostgresServer | undefined;
  readonly #databaseUrl: string | undefined;
  readonly #apiUrl: string;
  /** Each by its pid and the time of its start: the system gives pids again. */
  readonly #killed = new Set<string>();
  #key = "";
  #child: ChildProcess | undefined;
  #isRemoved = false;
  /** Why the last request got no answer. */
  #failure: unknown;
  /** Every answer of the API. */
  readonly answers: string[] = [];
  /** What the account's own webhook got; an event that was sent twice has one id. */
  readonly deliveries: { id: string; body: string }[] = [];
  readonly #endpoint: Server;

  private constructor(
    apiUrl: string,
    env: Readonly<Record<string, string>>,
    database?: { server: PostgresServer; url: string },
  ) {
    this.#apiUrl = apiUrl;
    this.#env = env;
    this.#postgres = database?.server;
    this.#databaseUrl = database?.url;
    this.#endpoint = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        this.deliveries.push({ id: String(request.headers["webhook-id"]), body: Buffer.concat(chunks).toString() });
        response.end();
      });
    });
  }

  /** One after the other: several that start at once are slow on a small machine. */
  static async start(store: StoreName, env: Readonly<Record<string, string>>): Promise<KilledService> {
    const starting = KilledService.#starting.then(() => KilledService.#startOne(store, env));
    KilledService.#starting = starting.catch(() => {});
    return await starting;
  }

  static #starting: Promise<unknown> = Promise.resolve();

  static async #startOne(store: StoreName, env: Readonly<Record<string, string>>): Promise<KilledService> {
    const apiUrl = `http://127.0.0.1:${await freePort()}`;
    const server = store === "Postgres" ? await PostgresServer.start({ settings: { fsync: "on" } }) : undefined;
    const database = server && { server, url: await server.createDatabase() };
    const service = new KilledService(apiUrl, { MEDIA_PORT: String(await freePort()), ...env }, database);
    service.#key = await service.withStores(async ({ accounts, apiKeys }) => {
      const accountId = await accounts.ensure("proof");
      const scopes = ["admin", "calls", "read", "write"] as const;
      return (await apiKeys.create({ accountId, name: "proof", scopes: [...scopes] })).key;
    });
    await service.run();
    await service.#addWebhook();
    return service;
  }

  async #addWebhook(): Promise<void> {
    await new Promise<void>((resolve) => void this.#endpoint.listen(0, "127.0.0.1", resolve));
    const { port } = this.#endpoint.address() as AddressInfo;
    await this.ask("POST", "/webhooks", { url: `http://127.0.0.1:${port}/hook`, eventTypes: EVENT_TYPES });
  }

  /** Starts it, also again after all of it was killed; resolves when it takes calls. */
  async run(): Promise<void> {
    for (let tries = 0; tries < START_TRIES_MAX; tries += 1) if (await this.#start()) return;
    throw new Error(`the service did not start: ${this.log.slice(-LOG_TAIL_CHARS)}`);
  }

  /** Whether it takes calls. On a busy machine it may give up. */
  async #start(): Promise<boolean> {
    const log = openSync(this.#logPath, "a");
    const child = fork(PROGRAM, [], {
      execArgv: [],
      env: {
        API_PORT: new URL(this.#apiUrl).port,
        PUBLIC_API_URL: this.#apiUrl,
        METRICS_PORT: "off",
        DATA_DIR: this.dataDir,
        STT: "reference",
        TTS: "reference",
        TMPDIR: tmpdir(),
        WORKERS: "1",
        WEBHOOKS_ALLOW_LOOPBACK: "true",
        ...(this.#databaseUrl !== undefined && { DATABASE_URL: this.#databaseUrl }),
        ...this.#env,
      },
      stdio: ["ignore", log, log, "ipc"],
      detached: true,
    });
    closeSync(log);
    this.#child = child;
    const signal = AbortSignal.timeout(READY_MS_MAX);
    const said = await Promise.race([once(child, "message", { signal }), once(child, "exit", { signal })]).catch(
      () => [],
    );
    const isReady = (said[0] as Partial<ServiceReady> | null | undefined)?.kind === "ready";
    if (!isReady) this.kill("service");
    // As an init system does where a service gives up.
    else child.once("exit", (code) => void (code !== null && !this.#isRemoved && this.run()));
    return isReady;
  }

  /** Ends a process, or all of them, at once; resolves when that has happened. False where there was none to kill. */
  kill(victim: Victim): boolean {
    if (victim === "service") return isKilled(-(this.#child?.pid ?? 0));
    const latest = startsOf(this.log).findLast(({ kind }) => kind === victim);
    if (latest === undefined) return false;
    const name = `${latest.pid} ${latest.time}`;
    if (this.#killed.has(name) || !isKilled(latest.pid)) return false;
    this.#killed.add(name);
    return true;
  }

  /** Undefined while nothing answers. */
  async api<Body>(
    method: Method,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiAnswer<Body> | undefined> {
    try {
      const response = await fetch(`${this.#apiUrl}/api/v1${path}`, {
        method,
        headers: { "X-API-Key": this.#key, "Content-Type": "application/json", ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REQUEST_MS_MAX),
      });
      const text = await response.text();
      this.answers.push(text);
      return { status: response.status, body: JSON.parse(text) as Body };
    } catch (error) {
      this.#failure = error;
      return undefined;
    }
  }

  /** As `api`, where an answer other than a success is an error. It is asked again while nothing answers. */
  async ask<Body>(method: Method, path: string, body?: object): Promise<Body> {
    const answer = await askUntilAnswered<Body>(this, method, path, body);
    if (answer !== undefined) return answer;
    const latest = this.answers.at(-1) ?? "none";
    const end = this.log.slice(-LOG_TAIL_CHARS);
    throw new Error(`${method} ${path} got no answer; the latest of all: ${latest}; the log ends: ${end}`, {
      cause: this.#failure,
    });
  }

  /** Sends a file in a form. */
  async upload<Body>(path: string, file: string, fields: Readonly<Record<string, string>>): Promise<Body> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append("file", await openAsBlob(file), basename(file));
    const headers = { "X-API-Key": this.#key };
    const response = await fetch(`${this.#apiUrl}/api/v1${path}`, { method: "POST", headers, body: form });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Body;
  }

  /** Sends content as a file in a form. It is sent again while nothing answers: its key makes the next request the same. */
  async sendFile<Body>(path: string, name: string, content: Buffer): Promise<Body> {
    const headers = { "X-API-Key": this.#key, "Idempotency-Key": randomUUID() };
    const endMs = performance.now() + ASK_MS_MAX;
    while (performance.now() < endMs) {
      const form = new FormData();
      form.append("file", new Blob([new Uint8Array(content)]), name);
      const signal = AbortSignal.timeout(REQUEST_MS_MAX);
      const response = await fetch(`${this.#apiUrl}/api/v1${path}`, {
        method: "POST",
        headers,
        body: form,
        signal,
      }).catch((error: unknown) => {
        this.#failure = error;
      });
      const text = await response?.text().catch(() => undefined);
      if (response?.ok && text !== undefined) return JSON.parse(text) as Body;
      if (response !== undefined && text !== undefined && !isForLater(response.status))
        throw new Error(`POST ${path}: ${response.status} ${text}`);
      await delay(RETRY_MS);
    }
    throw new Error(`POST ${path} got no answer`, { cause: this.#failure });
  }

  /** When processes of these kinds were started, Unix time: also those that its supervisor has replaced on its own. */
  startsMs(...kinds: readonly Victim[]): readonly number[] {
    return startsOf(this.log).flatMap(({ kind, time }) => (kinds.includes(kind) ? [time] : []));
  }

  /** Everything that the service has logged. */
  get log(): string {
    return readFileSync(this.#logPath, "utf8");
  }

  async withStores<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
    const place: StorePlace = { dataDir: this.dataDir, databaseUrl: this.#databaseUrl };
    const stores = await openStores(place, systemClock);
    try {
      return await work(stores);
    } finally {
      await stores.close();
    }
  }

  /** Everything that outlives a call or leaves the service, by place: no stream token may be in it. */
  async texts(): Promise<Record<string, string>> {
    return {
      "the log": this.log,
      ...this.#files(),
      ...(this.#postgres !== undefined && { "the database": await this.#dump(this.#postgres) }),
      "an answer of the API": this.answers.join("\n"),
      "a webhook of the account": this.deliveries.map(({ body }) => body).join("\n"),
    };
  }

  /** Of the service, with SQLite's database. */
  #files(): Record<string, string> {
    const files = readdirSync(this.dataDir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    return Object.fromEntries(
      files.map(({ parentPath, name }) => [`the file ${name}`, readFileSync(join(parentPath, name), "latin1")]),
    );
  }

  async #dump(server: PostgresServer): Promise<string> {
    const tables = await server.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
      this.#databaseUrl,
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const rows = await server.query<{ text: string }>(`SELECT t::text AS text FROM "${name}" t`, this.#databaseUrl);
      texts.push(...rows.map(({ text }) => text));
    }
    return texts.join("\n");
  }

  async remove(): Promise<void> {
    this.#isRemoved = true;
    const child = this.#child;
    const exited = child?.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
    this.kill("service");
    await exited;
    this.#endpoint.close();
    this.#endpoint.closeAllConnections();
    await this.#postgres?.remove();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  get #logPath(): string {
    return join(this.dataDir, "service.log");
  }
}

/** The processes that a log says were started, oldest first. */
export function startsOf(log: string): { kind: Victim; pid: number; time: number }[] {
  return log.split("\n").flatMap((line) => {
    if (line.includes('"process started"')) return [JSON.parse(line)];
    if (line.includes('"transcriber started"')) return [{ ...JSON.parse(line), kind: "transcriber" }];
    return line.includes('"ingester started"') ? [{ ...JSON.parse(line), kind: "ingester" }] : [];
  });
}

/** False where the process, or the group, is gone already. */
function isKilled(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}
